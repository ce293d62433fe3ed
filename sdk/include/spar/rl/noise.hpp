// Noise for exploration. Normal draws come from the caller's stream; actions are in [-1, 1], noise is added after the
// policy's tanh and never in greedy mode.
#pragma once

#include <cmath>
#include <vector>

#include "spar/rl/action.hpp"

namespace spar::rl {

/// clamp(a + scale sqrt(variance) x), x from N(0, 1) (Fujimoto et al. 2018 for the Gaussian kind).
template <class T>
T gaussian_noise(T action, double scale, double variance, double normal) {
  return clamp_action(static_cast<T>(static_cast<double>(action) + scale * std::sqrt(variance) * normal));
}

/// Ornstein-Uhlenbeck process of one environment copy (Uhlenbeck and Ornstein 1930; Lillicrap et al. 2016):
/// x += theta (mu - x) dt + sigma sqrt(dt) N(0, 1). Starts at mu, and again with every episode.
class OrnsteinUhlenbeck {
 public:
  struct Options {
    double theta = 0.15, sigma = 0.2, mu = 0, dt = 1;
  };

  OrnsteinUhlenbeck(size_t dimensions, const Options& options) : options_(options), x_(dimensions, options.mu) {}

  void reset() { x_.assign(x_.size(), options_.mu); }

  /// Throws std::invalid_argument unless there is one draw for each dimension.
  template <class Normals>
  const std::vector<double>& step(const Normals& normals) {
    require_size(x_.size(), normals.size(), "normals");
    for (size_t j = 0; j < x_.size(); ++j)
      x_[j] += options_.theta * (options_.mu - x_[j]) * options_.dt +
               options_.sigma * std::sqrt(options_.dt) * static_cast<double>(normals.data()[j]);
    return x_;
  }

  const std::vector<double>& value() const { return x_; }
  /// For checkpoints: takes back what value() gave. Throws std::invalid_argument if the dimensions differ.
  void restore(const std::vector<double>& value) {
    require_size(x_.size(), value.size(), "value");
    x_ = value;
  }

 private:
  Options options_;
  std::vector<double> x_;
};

/// f(x) = sgn(x) sqrt|x|: the weight W_ij of a noisy layer gets f(x_i) f(x_j), its bias f(x_i) (Fortunato et al.,
/// "Noisy networks for exploration", 2018, eq. 10 and 11).
template <class T>
T factorised_noise(T x) {
  return x < 0 ? -std::sqrt(-x) : std::sqrt(x);
}

}  // namespace spar::rl
