#include "core/run/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/rng/philox.hpp"

namespace spar::run {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// `values` are reordered.
double iqm_in_place(std::vector<double>& values) {
  const auto cut = static_cast<ptrdiff_t>(values.size() / 4);
  // NaN has no place in an order: it makes the result NaN instead.
  for (const double value : values)
    if (std::isnan(value)) return kNaN;
  std::sort(values.begin(), values.end());
  return mean(std::span(values.begin() + cut, values.end() - cut));
}

/// `sorted` is not empty; `fraction` in [0, 1].
double percentile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return share == 0 ? sorted[below] : sorted[below] + share * (sorted[above] - sorted[below]);
}

}  // namespace

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? kNaN : sum / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return values.empty() ? kNaN : 0;
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double iqm(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return iqm_in_place(copy);
}

namespace {

/// `statistic` of a sample, which it may reorder.
template <class Statistic>
Interval bootstrap(std::span<const double> values, uint64_t seed, size_t resamples, double level,
                   Statistic&& statistic) {
  if (values.empty() || resamples == 0 || std::isnan(mean(values))) return {kNaN, kNaN};
  Philox random(seed, "bootstrap");
  std::vector<double> sample(values.size()), results(resamples);
  for (double& result : results) {
    for (double& each : sample) each = values[random.below(values.size())];
    result = statistic(sample);
  }
  std::sort(results.begin(), results.end());
  return {percentile(results, (1 - level) / 2), percentile(results, (1 + level) / 2)};
}

}  // namespace

Interval bootstrap_iqm(std::span<const double> values, uint64_t seed, size_t resamples, double level) {
  return bootstrap(values, seed, resamples, level, iqm_in_place);
}

Interval bootstrap_mean(std::span<const double> values, uint64_t seed, size_t resamples, double level) {
  return bootstrap(values, seed, resamples, level, [](const std::vector<double>& sample) { return mean(sample); });
}

EvalStatistics evaluate(std::span<const double> returns, uint64_t seed) {
  EvalStatistics result;
  result.mean = mean(returns);
  result.iqm = iqm(returns);
  const Interval interval = bootstrap_iqm(returns, seed);
  result.ci_low = interval.low, result.ci_high = interval.high;
  result.min = returns.empty() ? kNaN : *std::ranges::min_element(returns);
  result.max = returns.empty() ? kNaN : *std::ranges::max_element(returns);
  result.std = standard_deviation(returns);
  result.episodes = returns.size();
  return result;
}

}  // namespace spar::run
