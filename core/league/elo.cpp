#include "core/league/elo.hpp"

#include <algorithm>
#include <cmath>

namespace spar::league {
namespace {

/// log(1 / (1 + exp(-x))).
double log_sigmoid(double x) { return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x)); }
double sigmoid(double x) { return std::exp(log_sigmoid(x)); }

/// Solves a x = b for a symmetric positive definite a, [n, n], both overwritten (Cholesky).
void solve(std::vector<double>& a, std::vector<double>& b) {
  const size_t n = b.size();
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

/// The likelihood of the results as a function of strengths, in natural units; that of player 0 is 0. Concave.
struct Likelihood {
  std::vector<double> share;  ///< [players, players], strictly between 0 and 1
  size_t players;

  double at(const std::vector<double>& strength) const {
    double sum = 0;
    for (size_t i = 0; i < players; ++i)
      for (size_t j = 0; j < players; ++j)
        if (i != j) sum += share[i * players + j] * log_sigmoid(strength[i] - strength[j]);
    return sum;
  }

  /// Newton's step for the players 1, 2, ..
  std::vector<double> step(const std::vector<double>& strength) const {
    const size_t n = players - 1;
    std::vector<double> curvature(n * n, 0.0), slope(n, 0.0);
    for (size_t i = 1; i < players; ++i) {
      for (size_t j = 0; j < players; ++j) {
        if (i == j) continue;
        const double p = sigmoid(strength[i] - strength[j]);
        slope[i - 1] += share[i * players + j] - p;
        curvature[(i - 1) * n + i - 1] += p * (1 - p);
        if (j > 0) curvature[(i - 1) * n + j - 1] -= p * (1 - p);
      }
    }
    solve(curvature, slope);
    return slope;
  }
};

}  // namespace

std::vector<double> elo_ratings(std::span<const double> win_rates, size_t players, double games) {
  constexpr int kMostSteps = 100;
  constexpr double kConverged = 1e-10, kLongest = 2;  // of one step, in natural units
  Likelihood likelihood{{win_rates.begin(), win_rates.end()}, players};
  for (double& share : likelihood.share) share = (games * share + 0.5) / (games + 1);
  std::vector<double> strength(players, 0.0);
  for (int k = 0; k < kMostSteps && players > 1; ++k) {
    const std::vector<double> step = likelihood.step(strength);
    double largest = 0;
    for (const double x : step) largest = std::max(largest, std::abs(x));
    const double before = likelihood.at(strength);
    std::vector<double> next = strength;
    for (double scale = std::min(1.0, kLongest / largest);; scale /= 2) {
      for (size_t i = 1; i < players; ++i) next[i] = strength[i] + scale * step[i - 1];
      if (scale * largest < kConverged || likelihood.at(next) >= before) break;
    }
    strength = next;
    if (largest < kConverged) break;
  }
  for (double& x : strength) x = kFirstRating + 400 / std::log(10.0) * x;
  return strength;
}

}  // namespace spar::league
