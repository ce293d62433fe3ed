// Advantages and returns of rollouts. Rows are ordered by environment copy, then by time: the next row goes on with
// the same episode unless `last` says that its segment ends here, by the episode's end or by a cut.
#pragma once

#include <cmath>

#include "spar/rl/view.hpp"

namespace spar::rl {

/// Generalised advantage estimates (Schulman et al. 2016, eq. 11 to 16):
///   delta_t = r_t + gamma (1 - terminated_t) V(s'_t) - V(s_t),   A_t = delta_t + gamma lambda (1 - last_t) A_{t+1}
/// with s'_t the true next observation of the row: a truncation bootstraps from its final observation, not from the
/// reset one. reward, terminated, last, value (of obs), next_value (of next_obs), advantage: [B]. The targets of the
/// value function are A_t + V(s_t), with A_t not normalised. lambda 1: discounted returns minus V. Throws
/// std::invalid_argument if the shapes do not agree.
template <class Reward, class Terminated, class Last, class Value, class NextValue, class Advantage>
void gae(const Reward& reward, const Terminated& terminated, const Last& last, const Value& value,
         const NextValue& next_value, double gamma, double lambda, Advantage&& advantage) {
  const size_t rows = reward.size();
  require_size(rows, terminated.size(), "terminated");
  require_size(rows, last.size(), "last");
  require_size(rows, value.size(), "value");
  require_size(rows, next_value.size(), "next_value");
  require_size(rows, advantage.size(), "advantage");
  double following = 0;
  for (size_t t = rows; t-- > 0;) {
    const double bootstrap = terminated.data()[t] ? 0.0 : gamma * static_cast<double>(next_value.data()[t]);
    const double delta = static_cast<double>(reward.data()[t]) + bootstrap - static_cast<double>(value.data()[t]);
    following = delta + (last.data()[t] ? 0.0 : gamma * lambda * following);
    advantage.data()[t] = static_cast<ElementOf<Advantage>>(following);
  }
}

/// G_t = r_t + gamma G_{t+1} within a segment; its last row goes on with gamma V(s') unless it terminated. Shapes and
/// errors as above.
template <class Reward, class Terminated, class Last, class NextValue, class Returns>
void discounted_returns(const Reward& reward, const Terminated& terminated, const Last& last,
                        const NextValue& next_value, double gamma, Returns&& returns) {
  const size_t rows = reward.size();
  require_size(rows, terminated.size(), "terminated");
  require_size(rows, last.size(), "last");
  require_size(rows, next_value.size(), "next_value");
  require_size(rows, returns.size(), "returns");
  double following = 0;
  for (size_t t = rows; t-- > 0;) {
    if (terminated.data()[t])
      following = 0;
    else if (last.data()[t])
      following = static_cast<double>(next_value.data()[t]);
    following = static_cast<double>(reward.data()[t]) + gamma * following;
    returns.data()[t] = static_cast<ElementOf<Returns>>(following);
  }
}

/// (x - mean) / (std + eps) in place, std with N - 1 in the denominator. One number or none is left alone: it has no
/// deviation to divide by.
template <class Array>
void normalise(Array&& x, double eps = 1e-8) {
  const size_t n = x.size();
  if (n < 2) return;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; ++i) sum += static_cast<double>(x.data()[i]);
  const double mean = sum / static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) {
    const double deviation = static_cast<double>(x.data()[i]) - mean;
    squares += deviation * deviation;
  }
  const double scale = std::sqrt(squares / static_cast<double>(n - 1)) + eps;
  for (size_t i = 0; i < n; ++i)
    x.data()[i] = static_cast<ElementOf<Array>>((static_cast<double>(x.data()[i]) - mean) / scale);
}

}  // namespace spar::rl
