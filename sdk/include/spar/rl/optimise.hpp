// Reference implementations, in double, of what one optimiser step does: clip, Adam, blend, in this order.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "spar/rl/view.hpp"

namespace spar::rl {

/// sum of squares of one gradient tensor: the global norm is the root of the sum over all tensors of one step.
template <class Gradient>
double squared_norm(const Gradient& gradient) {
  double sum = 0;
  for (size_t i = 0; i < gradient.size(); ++i)
    sum += static_cast<double>(gradient.data()[i]) * static_cast<double>(gradient.data()[i]);
  return sum;
}

/// Factor for every gradient of the step so that their joint norm is at most max_norm (Pascanu et al. 2013):
/// min(1, max_norm / (norm + 1e-6)); 1 if max_norm <= 0, which means no clipping.
inline double clip_scale(double norm, double max_norm) {
  const double scale = max_norm / (norm + 1e-6);
  return max_norm <= 0 || scale >= 1 ? 1.0 : scale;
}

/// Multiplies an array by a factor.
template <class Array>
void scale(Array&& values, double factor) {
  for (size_t i = 0; i < values.size(); ++i)
    values.data()[i] = static_cast<ElementOf<Array>>(static_cast<double>(values.data()[i]) * factor);
}

/// Adam with bias correction (Kingma and Ba 2015, algorithm 1):
/// m = b1 m + (1-b1) g, v = b2 v + (1-b2) g^2, x -= lr m' / (sqrt(v') + eps), m' = m / (1-b1^t), v' = v / (1-b2^t).
class Adam {
 public:
  struct Options {
    double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  };

  Adam(size_t size, const Options& options) : options_(options), mean_(size), square_(size) {}

  /// One step on x by its gradient, both as long as at construction; else throws std::invalid_argument.
  template <class Parameters, class Gradient>
  void step(Parameters&& x, const Gradient& gradient) {
    require_size(mean_.size(), x.size(), "x");
    require_size(mean_.size(), gradient.size(), "gradient");
    ++steps_;
    const double correction1 = 1 - std::pow(options_.beta1, static_cast<double>(steps_));
    const double correction2 = 1 - std::pow(options_.beta2, static_cast<double>(steps_));
    for (size_t i = 0; i < mean_.size(); ++i) {
      const double g = static_cast<double>(gradient.data()[i]);
      mean_[i] = options_.beta1 * mean_[i] + (1 - options_.beta1) * g;
      square_[i] = options_.beta2 * square_[i] + (1 - options_.beta2) * g * g;
      const double change =
          options_.lr * (mean_[i] / correction1) / (std::sqrt(square_[i] / correction2) + options_.eps);
      x.data()[i] = static_cast<ElementOf<Parameters>>(static_cast<double>(x.data()[i]) - change);
    }
  }

  uint64_t steps() const { return steps_; }

 private:
  Options options_;
  std::vector<double> mean_, square_;
  uint64_t steps_ = 0;
};

/// target = tau * online + (1 - tau) * target (Polyak averaging, Lillicrap et al. 2016), after the optimiser's step,
/// once per update. tau 1 copies. Throws std::invalid_argument on unequal lengths.
template <class Target, class Online>
void polyak(Target&& target, const Online& online, double tau) {
  require_size(target.size(), online.size(), "online");
  for (size_t i = 0; i < target.size(); ++i)
    target.data()[i] = static_cast<ElementOf<Target>>(tau * static_cast<double>(online.data()[i]) +
                                                      (1 - tau) * static_cast<double>(target.data()[i]));
}

}  // namespace spar::rl
