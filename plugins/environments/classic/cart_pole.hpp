// A pole on a cart, kept upright by pushes to the left (0) and to the right (1).
//
// Barto, Sutton, Anderson: "Neuronlike adaptive elements that can solve difficult learning control problems", 1983;
// equations without friction, explicit Euler, SI units. With F = +-10, t = (F + m l w^2 sin q) / M:
//   q'' = (g sin q - cos q t) / (l (4/3 - m cos^2 q / M)),  x'' = t - m l q'' cos q / M
// Observation: x, x', q, q'. Reward 1 for each step, the one that ends the episode included, and 0 for further steps.
// End: |x| > 2.4 or |q| > 12 degrees.
// One step is written once, for a number or for a vector of them: step_all() takes as many copies at a time as the
// vectors of the processor hold, and gives the same bits as step().
#pragma once

#include <cmath>
#include <limits>

#include "spar/environment.hpp"
#include "spar/sine.hpp"

namespace spar::classic {

/// State after the steps so far; `ended` is 1 once the episode has ended.
struct CartPoleState {
  double x, x_speed, angle, angle_speed;
  uint64_t ended;
};

namespace cart_pole {

constexpr double kGravity = 9.8;
constexpr double kPoleMass = 0.1;
constexpr double kTotalMass = kPoleMass + 1.0;
constexpr double kHalfLength = 0.5;
constexpr double kPoleMassLength = kPoleMass * kHalfLength;
constexpr double kForce = 10.0;
constexpr double kTimeStep = 0.02;
constexpr double kLargestX = 2.4;
constexpr double kLargestAngle = 12 * 2 * M_PI / 360;

/// One step of the equations: a double is one copy, a vector as many as it holds.
template <class V>
SPAR_RL_INLINE void advance(V& x, V& x_speed, V& angle, V& angle_speed, const V& force) {
  V sine, cosine;
  sine_and_cosine(angle, sine, cosine);
  const V push = (force + kPoleMassLength * (angle_speed * angle_speed) * sine) / kTotalMass;
  const V angle_acceleration =
      (kGravity * sine - cosine * push) / (kHalfLength * (4.0 / 3.0 - kPoleMass * (cosine * cosine) / kTotalMass));
  const V x_acceleration = push - kPoleMassLength * angle_acceleration * cosine / kTotalMass;
  x += kTimeStep * x_speed;
  x_speed += kTimeStep * x_acceleration;
  angle += kTimeStep * angle_speed;
  angle_speed += kTimeStep * angle_acceleration;
}

inline double force_of(int64_t action) { return action == 1 ? kForce : -kForce; }

/// What a copy is told about the step that led to `s`.
inline Outcome outcome(CartPoleState& s) {
  const bool inside = std::fabs(s.x) <= kLargestX && std::fabs(s.angle) <= kLargestAngle;
  const double reward = inside || !s.ended ? 1.0 : 0.0;
  if (!inside) s.ended = 1;
  return {reward, !inside};
}

inline Outcome step_one(CartPoleState& s, int64_t action) {
  advance(s.x, s.x_speed, s.angle, s.angle_speed, force_of(action));
  return outcome(s);
}

#if SPAR_RL_VECTORS
template <size_t W>
SPAR_RL_INLINE void step_in(CartPoleState* s, const int64_t* actions, Outcome* outcomes, size_t n) {
  using V = typename rl::detail::Doubles<W>::Vector;
  constexpr size_t kCopies = rl::detail::Doubles<W>::kCount;
  size_t i = 0;
  for (; i + kCopies <= n; i += kCopies) {
    V x, x_speed, angle, angle_speed, pushed;
    for (size_t k = 0; k < kCopies; ++k) {
      x[k] = s[i + k].x;
      x_speed[k] = s[i + k].x_speed;
      angle[k] = s[i + k].angle;
      angle_speed[k] = s[i + k].angle_speed;
      pushed[k] = force_of(actions[i + k]);
    }
    advance(x, x_speed, angle, angle_speed, pushed);
    for (size_t k = 0; k < kCopies; ++k) {
      s[i + k] = {x[k], x_speed[k], angle[k], angle_speed[k], s[i + k].ended};
      outcomes[i + k] = outcome(s[i + k]);
    }
  }
  for (; i < n; ++i) outcomes[i] = step_one(s[i], actions[i]);
}
SPAR_RL_WIDEST(step, (CartPoleState * s, const int64_t* actions, Outcome* outcomes, size_t n),
               (s, actions, outcomes, n))
#else
inline void step(CartPoleState* s, const int64_t* actions, Outcome* outcomes, size_t n) {
  for (size_t i = 0; i < n; ++i) outcomes[i] = step_one(s[i], actions[i]);
}
#endif

}  // namespace cart_pole

template <uint64_t kTimeLimit>
struct CartPole : Environment {
  using State = CartPoleState;
  using Action = int64_t;

  World world() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double x = static_cast<float>(2 * cart_pole::kLargestX),
                 angle = static_cast<float>(2 * cart_pole::kLargestAngle);
    return {Space::box({-x, -kInfinity, -angle, -kInfinity}, {x, kInfinity, angle, kInfinity}), Space::discrete(2),
            kTimeLimit};
  }
  void reset(State& s, NumpyRandom& random) const {
    s.x = random.uniform(-0.05, 0.05);
    s.x_speed = random.uniform(-0.05, 0.05);
    s.angle = random.uniform(-0.05, 0.05);
    s.angle_speed = random.uniform(-0.05, 0.05);
    s.ended = 0;
  }
  Outcome step(State& s, Action action, NumpyRandom& /*random*/) const { return cart_pole::step_one(s, action); }
  void step_all(State* s, const Action* actions, Outcome* outcomes, NumpyRandom* /*randoms*/, size_t n) const {
    cart_pole::step(s, actions, outcomes, n);
  }
  void observe(const State& s, float* obs) const {
    obs[0] = static_cast<float>(s.x);
    obs[1] = static_cast<float>(s.x_speed);
    obs[2] = static_cast<float>(s.angle);
    obs[3] = static_cast<float>(s.angle_speed);
  }
};

struct CartPoleV0 : CartPole<200> {
  static constexpr const char *id = "org.spar.classic/CartPole-v0", *version = "1.0.0",
                              *title = "Pole on a cart, 200 steps";
};

struct CartPoleV1 : CartPole<500> {
  static constexpr const char *id = "org.spar.classic/CartPole-v1", *version = "1.0.0",
                              *title = "Pole on a cart, 500 steps";
};

}  // namespace spar::classic
