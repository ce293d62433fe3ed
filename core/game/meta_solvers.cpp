#include "core/game/meta_solvers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/game/strands.hpp"

namespace spar::game {
namespace {

Mixture flat(const PayoffTable& table) {
  Mixture out;
  for (const size_t n : table.sizes()) out.emplace_back(n, 1.0 / static_cast<double>(n));
  return out;
}

size_t lowest_best(const std::vector<double>& values) {
  return static_cast<size_t>(std::ranges::max_element(values) - values.begin());
}

double spread(const PayoffTable& table) {
  double widest = 0;
  for (size_t p = 0; p < table.players(); ++p) {
    double low = INFINITY, high = -INFINITY;
    PayoffTable::each(table.sizes(), [&](std::span<const size_t> index) {
      low = std::min(low, table.at(p, index));
      high = std::max(high, table.at(p, index));
    });
    widest = std::max(widest, high - low);
  }
  return widest;
}

}  // namespace

Mixture Uniform::solve(const PayoffTable& table) { return flat(table); }

Mixture MetaFictitiousPlay::solve(const PayoffTable& table) {
  const size_t players = table.players();
  std::vector<size_t> chosen(players, 0);
  std::vector<std::vector<double>> sums;
  Mixture counts;
  for (const size_t n : table.sizes()) {
    sums.emplace_back(n);
    counts.emplace_back(n);
  }
  std::vector<size_t> index(players);
  for (uint64_t round = 0; round < rounds_; ++round) {
    for (size_t p = 0; p < players; ++p) counts[p][chosen[p]] += 1;
    for (size_t p = 0; p < players; ++p) {
      if (players == 2) {
        const double* row = table.row(p, chosen[1 - p]);
        double* sum = sums[p].data();
        for (size_t i = 0, n = sums[p].size(); i < n; ++i) sum[i] += row[i];
        continue;
      }
      // Three and more: against the others' last choices rather than the product of their averages, as for two.
      index = chosen;
      for (size_t i = 0; i < sums[p].size(); ++i) {
        index[p] = i;
        sums[p][i] += table.at(p, index);
      }
    }
    for (size_t p = 0; p < players; ++p) chosen[p] = lowest_best(sums[p]);
  }
  for (auto& player : counts)
    for (double& count : player) count /= static_cast<double>(rounds_);
  return counts;
}

Mixture Replicator::solve(const PayoffTable& table) {
  const double range = spread(table);
  Mixture now = flat(table), sum = now;
  if (range == 0) return now;
  const double step = 0.1 / range;
  std::vector<std::vector<double>> slope;
  for (const size_t n : table.sizes()) slope.emplace_back(n);
  for (auto& player : sum) std::ranges::fill(player, 0.0);
  for (uint64_t t = 0; t < steps_; ++t) {
    for (size_t p = 0; p < now.size(); ++p) slopes(table, p, now, slope[p]);
    for (size_t p = 0; p < now.size(); ++p) {
      const double best = *std::ranges::max_element(slope[p]);
      double total = 0;
      for (size_t i = 0; i < now[p].size(); ++i) total += now[p][i] *= std::exp(step * (slope[p][i] - best));
      for (size_t i = 0; i < now[p].size(); ++i) sum[p][i] += now[p][i] /= total;
    }
  }
  for (auto& player : sum)
    for (double& x : player) x /= static_cast<double>(steps_);
  return sum;
}

Mixture RegretMatchingPlus::solve(const PayoffTable& table) {
  const size_t players = table.players();
  regret_.resize(players);
  Mixture now = flat(table), average;
  std::vector<std::vector<double>> slope, prediction;
  for (size_t p = 0; p < players; ++p) {
    const size_t n = table.sizes()[p];
    regret_[p].resize(n, 0.0);
    average.emplace_back(n);
    slope.emplace_back(n);
    prediction.emplace_back(n);
  }
  const auto match = [&](size_t p) {
    const size_t n = now[p].size();
    double* x = now[p].data();
    const double *regret = regret_[p].data(), *expected = prediction[p].data();
    for (size_t i = 0; i < n; ++i) x[i] = std::max(regret[i] + expected[i], 0.0);
    const double sum = sum_of(n, [x](size_t i) { return x[i]; }), scale = 1 / sum;
    if (sum > 0)
      for (size_t i = 0; i < n; ++i) x[i] *= scale;
    else
      std::fill_n(x, n, 1.0 / static_cast<double>(n));
  };
  for (size_t p = 0; p < players; ++p) match(p);
  for (uint64_t t = 1; t <= iterations_; ++t) {
    const double weight = static_cast<double>(t) * static_cast<double>(t);
    for (size_t p = 0; p < players; ++p) {
      slopes(table, p, now, slope[p]);
      const size_t n = now[p].size();
      double *regret = regret_[p].data(), *expected = prediction[p].data(), *mean = average[p].data();
      const double* gain = slope[p].data();
      const double* x = now[p].data();
      const double value = sum_of(n, [gain, x](size_t i) { return gain[i] * x[i]; });
      for (size_t i = 0; i < n; ++i) {
        expected[i] = gain[i] - value;  // the next regret is predicted to be this one
        regret[i] = std::max(regret[i] + expected[i], 0.0);
      }
      match(p);
      for (size_t i = 0; i < n; ++i) mean[i] += weight * x[i];
    }
  }
  // Weights of no consequence are dropped: they would make every plan of the population part of every mixture.
  for (auto& player : average) {
    const double sum = std::accumulate(player.begin(), player.end(), 0.0);
    double kept = 0;
    for (double& x : player) kept += x = x > 1e-9 * sum ? x : 0.0;
    for (double& x : player) x /= kept;
  }
  return average;
}

void RegretMatchingPlus::save(ByteWriter& writer) const {
  writer.put<uint64_t>(regret_.size());
  for (const auto& player : regret_) writer.array<double>(player);
}

void RegretMatchingPlus::load(ByteReader& reader) {
  const auto players = reader.get<uint64_t>();
  regret_.clear();
  for (uint64_t p = 0; p < players; ++p) regret_.push_back(reader.vector<double>());
}

}  // namespace spar::game
