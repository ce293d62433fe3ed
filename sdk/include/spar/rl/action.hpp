// Actions of policies lie in [-1, 1] in every dimension; environments have boxes. One map between the two, per
// dimension, so that asymmetric and unequal bounds are right.
#pragma once

#include "spar/rl/view.hpp"

namespace spar::rl {

/// Clamps to [-1, 1]. NaN stays NaN.
template <class T>
T clamp_action(T action) {
  return action < T(-1) ? T(-1) : action > T(1) ? T(1) : action;
}

/// [-1, 1] -> [low, high]: low + (a + 1) / 2 (high - low), written so that both ends are exact.
template <class T>
T to_box(T action, T low, T high) {
  const T share = (action + T(1)) / T(2);
  return (T(1) - share) * low + share * high;
}

/// [low, high] -> [-1, 1]; 0 where the box has no width.
template <class T>
T from_box(T action, T low, T high) {
  return high > low ? T(2) * (action - low) / (high - low) - T(1) : T(0);
}

/// Clamped actions in the box's units. action, out: [B, n]; low, high: [n]. Throws std::invalid_argument if the shapes
/// do not agree.
template <class Action, class Low, class High, class Out>
void actions_to_box(const Action& action, const Low& low, const High& high, Out&& out) {
  const size_t n = low.size();
  require_size(n, high.size(), "high");
  require_size(action.size(), out.size(), "out");
  require_size(n == 0 ? 0 : action.size() / n * n, action.size(), "action");
  using T = ElementOf<Out>;
  for (size_t i = 0; i < action.size(); ++i)
    out.data()[i] = to_box(clamp_action(static_cast<T>(action.data()[i])), static_cast<T>(low.data()[i % n]),
                           static_cast<T>(high.data()[i % n]));
}

/// low + (high - low) u for u in [0, 1): a warm-up action, uniform over the box. With the policy's units -1 and 1 it is
/// what the replay memory stores.
template <class T>
T uniform_action(T low, T high, T u) {
  return low + (high - low) * u;
}

}  // namespace spar::rl
