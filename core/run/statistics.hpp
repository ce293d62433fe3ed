// Statistics of evaluation returns (Agarwal et al.: "Deep reinforcement learning at the edge of the statistical
// precipice", 2021). Everything is reproducible: resampling draws from a named stream of the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spar::run {

/// NaN if there are no values; the same holds for all below.
double mean(std::span<const double> values);

/// Sample standard deviation (divides by n - 1); 0 for one value.
double standard_deviation(std::span<const double> values);

/// Interquartile mean: the mean without the floor(n / 4) least and the floor(n / 4) greatest values.
double iqm(std::span<const double> values);

struct Interval {
  double low = 0, high = 0;
};

/// Percentile bootstrap interval of the interquartile mean: `resamples` times n values are drawn with replacement from
/// the stream "bootstrap" of `seed`; the interval holds the middle `level` of their interquartile means, interpolated
/// linearly between neighbours.
Interval bootstrap_iqm(std::span<const double> values, uint64_t seed, size_t resamples = 2000, double level = 0.95);

/// The same of the mean.
Interval bootstrap_mean(std::span<const double> values, uint64_t seed, size_t resamples = 2000, double level = 0.95);

/// Of the returns of one evaluation; the interval is that of the iqm, 95 %.
struct EvalStatistics {
  double mean = 0, iqm = 0, ci_low = 0, ci_high = 0, min = 0, max = 0, std = 0;
  uint64_t episodes = 0;
  bool operator==(const EvalStatistics&) const = default;
};

EvalStatistics evaluate(std::span<const double> returns, uint64_t seed);

}  // namespace spar::run
