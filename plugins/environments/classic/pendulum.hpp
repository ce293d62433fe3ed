// A pendulum that is swung up and held by a limited torque in [-2, 2]; angle 0 is upright.
//
// With g = 10, m = l = 1 and dt = 0.05: w += (15 sin q + 3 u) dt, clipped to +-8, then q += w dt. Observation: cos q,
// sin q, w. Reward -(q^2 + 0.1 w^2 + 0.001 u^2) of the state before the step, q taken in [-pi, pi). Never ends.
#pragma once

#include <algorithm>
#include <cmath>

#include "spar/environment.hpp"

namespace spar::classic {

struct Pendulum : Environment {
  static constexpr const char *id = "org.spar.classic/Pendulum-v1", *version = "1.0.0", *title = "Pendulum, swing up";
  struct State {
    double angle, speed;
  };
  using Action = const float*;

  static constexpr double kLargestTorque = 2, kLargestSpeed = 8, kTimeStep = 0.05;

  World world() const {
    return {Space::box({-1, -1, -kLargestSpeed}, {1, 1, kLargestSpeed}), Space::box(1, -kLargestTorque, kLargestTorque),
            200};
  }
  void reset(State& s, NumpyRandom& random) const {
    s.angle = random.uniform(-M_PI, M_PI);
    s.speed = random.uniform(-1, 1);
  }
  Outcome step(State& s, Action action, NumpyRandom& /*random*/) const {
    const double torque = std::clamp<double>(action[0], -kLargestTorque, kLargestTorque);
    const double deviation = centred(s.angle);
    const double cost = deviation * deviation + 0.1 * (s.speed * s.speed) + 0.001 * (torque * torque);
    s.speed += (15.0 * std::sin(s.angle) + 3.0 * torque) * kTimeStep;
    s.speed = std::clamp(s.speed, -kLargestSpeed, kLargestSpeed);
    s.angle += s.speed * kTimeStep;
    return {-cost, false};
  }
  void observe(const State& s, float* obs) const {
    obs[0] = static_cast<float>(std::cos(s.angle));
    obs[1] = static_cast<float>(std::sin(s.angle));
    obs[2] = static_cast<float>(s.speed);
  }

 private:
  /// The angle in [-pi, pi).
  static double centred(double angle) {
    double turn = std::fmod(angle + M_PI, 2 * M_PI);
    if (turn < 0) turn += 2 * M_PI;
    return turn - M_PI;
  }
};

}  // namespace spar::classic
