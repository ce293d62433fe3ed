#include "core/game/alpha_rank.hpp"

#include <cmath>

#include "core/base/error.hpp"

namespace spar::game {
namespace {

/// Fixation probability of a strategy that gains `d`; at least 1e-50, so that the chain stays irreducible.
double fixation(double d, double alpha, double m) {
  const double u = alpha * std::abs(d);
  double rho = 1 / m;
  if (u * m > 1e-9)
    rho = d > 0 ? std::expm1(-u) / std::expm1(-m * u) : std::exp(-(m - 1) * u) * std::expm1(-u) / std::expm1(-m * u);
  return std::max(rho, 1e-50);
}

/// Grassmann, Taha and Heyman's elimination: no subtractions, so every digit of small probabilities counts.
std::vector<double> stationary_of(std::vector<double>& chain, size_t n) {
  const auto at = [&](size_t i, size_t j) -> double& { return chain[i * n + j]; };
  for (size_t k = n - 1; k > 0; --k) {
    double out = 0;
    for (size_t j = 0; j < k; ++j) out += at(k, j);
    for (size_t i = 0; i < k; ++i) {
      const double in = at(i, k) /= out;
      if (in == 0) continue;
      for (size_t j = 0; j < k; ++j) at(i, j) += in * at(k, j);
    }
  }
  std::vector<double> pi(n, 0.0);
  pi[0] = 1;
  double sum = 1;
  for (size_t k = 1; k < n; ++k) {
    for (size_t i = 0; i < k; ++i) pi[k] += pi[i] * at(i, k);
    sum += pi[k];
  }
  for (double& x : pi) x /= sum;
  return pi;
}

}  // namespace

std::vector<double> AlphaRank::stationary(const PayoffTable& table) const {
  const size_t n = table.cells();
  if (n > kMostProfiles) {
    throw Error("E1105", Exit::usage,
                "alpha_rank compares at most " + std::to_string(kMostProfiles) +
                    " combinations of strategies, the populations have " + std::to_string(n))
        .help("stop after fewer iterations, or use another meta_solver");
  }
  double deviations = 0;
  for (const size_t size : table.sizes()) deviations += static_cast<double>(size - 1);
  std::vector<double> chain(n * n, 0.0);
  size_t from = 0;
  PayoffTable::each(table.sizes(), [&](std::span<const size_t> index) {
    std::vector<size_t> to(index.begin(), index.end());
    size_t stride = 1;
    for (size_t p = table.players(); p-- > 0; stride *= table.sizes()[p]) {
      for (size_t s = 0; s < table.sizes()[p]; ++s) {
        if (s == index[p]) continue;
        to[p] = s;
        const double gain = table.at(p, to) - table.at(p, index);
        chain[from * n + from - index[p] * stride + s * stride] = fixation(gain, alpha_, population_) / deviations;
      }
      to[p] = index[p];
    }
    ++from;
  });
  return stationary_of(chain, n);
}

Mixture AlphaRank::solve(const PayoffTable& table) {
  const std::vector<double> pi = stationary(table);
  Mixture out;
  for (const size_t size : table.sizes()) out.emplace_back(size, 0.0);
  size_t at = 0;
  PayoffTable::each(table.sizes(), [&](std::span<const size_t> index) {
    for (size_t p = 0; p < out.size(); ++p) out[p][index[p]] += pi[at];
    ++at;
  });
  return out;
}

}  // namespace spar::game
