// A pole on a cart, kept upright by pushes to the left (0) and to the right (1).
//
// Barto, Sutton, Anderson: "Neuronlike adaptive elements that can solve difficult learning control problems", 1983;
// equations without friction, explicit Euler, SI units. With F = +-10, t = (F + m l w^2 sin q) / M:
//   q'' = (g sin q - cos q t) / (l (4/3 - m cos^2 q / M)),  x'' = t - m l q'' cos q / M
// Observation: x, x', q, q'. Reward 1 for each step, the one that ends the episode included, and 0 for further steps.
// End: |x| > 2.4 or |q| > 12 degrees.
#pragma once

#include <cmath>
#include <limits>

#include "spar/environment.hpp"

namespace spar::classic {

template <uint64_t kTimeLimit>
struct CartPole : Environment {
  struct State {
    double x, x_speed, angle, angle_speed;
    uint64_t ended;  ///< 1 once the episode has ended
  };
  using Action = int64_t;

  static constexpr double kGravity = 9.8;
  static constexpr double kPoleMass = 0.1;
  static constexpr double kTotalMass = kPoleMass + 1.0;
  static constexpr double kHalfLength = 0.5;
  static constexpr double kPoleMassLength = kPoleMass * kHalfLength;
  static constexpr double kForce = 10.0;
  static constexpr double kTimeStep = 0.02;
  static constexpr double kLargestX = 2.4;
  static constexpr double kLargestAngle = 12 * 2 * M_PI / 360;

  World world() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double x = static_cast<float>(2 * kLargestX), angle = static_cast<float>(2 * kLargestAngle);
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
  Outcome step(State& s, Action action, NumpyRandom& /*random*/) const {
    const double force = action == 1 ? kForce : -kForce;
    const double cosine = std::cos(s.angle), sine = std::sin(s.angle);
    const double push = (force + kPoleMassLength * (s.angle_speed * s.angle_speed) * sine) / kTotalMass;
    const double angle_acceleration =
        (kGravity * sine - cosine * push) / (kHalfLength * (4.0 / 3.0 - kPoleMass * (cosine * cosine) / kTotalMass));
    const double x_acceleration = push - kPoleMassLength * angle_acceleration * cosine / kTotalMass;
    s.x += kTimeStep * s.x_speed;
    s.x_speed += kTimeStep * x_acceleration;
    s.angle += kTimeStep * s.angle_speed;
    s.angle_speed += kTimeStep * angle_acceleration;

    const bool inside = std::fabs(s.x) <= kLargestX && std::fabs(s.angle) <= kLargestAngle;
    const double reward = inside || !s.ended ? 1.0 : 0.0;
    if (!inside) s.ended = 1;
    return {reward, !inside};
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
