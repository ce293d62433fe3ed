// Targets of value learning. B rows, n actions, arrays row-major. `discount` is gamma^k for the true length k of the
// n-step window and 0 where the episode terminated: a truncation goes on bootstrapping (Pardo et al., "Time limits in
// reinforcement learning", 2018).
#pragma once

#include "spar/rl/view.hpp"

namespace spar::rl {

/// Discount of a window of k steps: gamma^k, 0 if terminated. Truncation does not enter.
inline double bootstrap_discount(double gamma, unsigned k, bool terminated) {
  double power = terminated ? 0.0 : 1.0;
  for (unsigned i = 0; i < k; ++i) power *= gamma;
  return power;
}

/// y = r + discount * V(s').
template <class T>
T bootstrap_target(T reward, T discount, T next_value) {
  return reward + discount * next_value;
}

/// Index of the largest of n >= 1 numbers; the first of equals.
template <class T>
size_t argmax(const T* values, size_t n) {
  size_t best = 0;
  for (size_t i = 1; i < n; ++i)
    if (values[best] < values[i]) best = i;
  return best;
}

/// y = r + discount * max_a Q_target(s', a) (Mnih et al. 2015). reward, discount, target: [B]; q_target_next: [B, n].
/// Throws std::invalid_argument if the shapes do not agree.
template <class Reward, class Discount, class Next, class Target>
void dqn_targets(const Reward& reward, const Discount& discount, const Next& q_target_next, Target&& target) {
  const size_t rows = reward.size(), n = columns_of(q_target_next.size(), rows, "q_target_next");
  require_size(rows, discount.size(), "discount");
  require_size(rows, target.size(), "target");
  for (size_t i = 0; i < rows; ++i) {
    const auto* next = q_target_next.data() + i * n;
    target.data()[i] = reward.data()[i] + discount.data()[i] * next[argmax(next, n)];
  }
}

/// y = r + discount * Q_target(s', argmax_a Q_online(s', a)) (van Hasselt et al. 2016): the online network chooses, the
/// target network values. Shapes and errors as above.
template <class Reward, class Discount, class Online, class Next, class Target>
void double_dqn_targets(const Reward& reward, const Discount& discount, const Online& q_online_next,
                        const Next& q_target_next, Target&& target) {
  const size_t rows = reward.size(), n = columns_of(q_target_next.size(), rows, "q_target_next");
  require_size(q_target_next.size(), q_online_next.size(), "q_online_next");
  require_size(rows, discount.size(), "discount");
  require_size(rows, target.size(), "target");
  for (size_t i = 0; i < rows; ++i) {
    const size_t action = argmax(q_online_next.data() + i * n, n);
    target.data()[i] = reward.data()[i] + discount.data()[i] * q_target_next.data()[i * n + action];
  }
}

}  // namespace spar::rl
