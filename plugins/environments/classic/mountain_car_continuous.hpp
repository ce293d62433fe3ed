// The car in the valley with a force of its driver's choice in [-1, 1].
//
// Observation: position, speed. Reward -0.1 a^2 for the action as it was given, even outside [-1, 1], and +100 at the
// goal. End: position >= 0.45 with speed >= 0. After each step the state is rounded to float32, as in the reference.
#pragma once

#include <algorithm>
#include <cmath>

#include "spar/environment.hpp"

namespace spar::classic {

struct MountainCarContinuous : Environment {
  static constexpr const char *id = "org.spar.classic/MountainCarContinuous-v0", *version = "1.0.0",
                              *title = "Car in a valley, continuous force";
  struct State {
    double position, speed;
  };
  using Action = const float*;

  static constexpr double kLeftWall = -1.2, kRightEnd = 0.6, kGoal = 0.45;
  static constexpr double kLargestSpeed = 0.07;
  static constexpr double kPower = 0.0015, kGravity = 0.0025;

  World world() const {
    return {Space::box({static_cast<float>(kLeftWall), -static_cast<float>(kLargestSpeed)},
                       {static_cast<float>(kRightEnd), static_cast<float>(kLargestSpeed)}),
            Space::box(1, -1, 1), 999};
  }
  void reset(State& s, NumpyRandom& random) const { s = {random.uniform(-0.6, -0.4), 0.0}; }
  Outcome step(State& s, Action action, NumpyRandom& /*random*/) const {
    const double wanted = action[0];
    const double force = std::clamp(wanted, -1.0, 1.0);
    double speed = s.speed + (force * kPower - kGravity * std::cos(3 * s.position));
    speed = std::clamp(speed, -kLargestSpeed, kLargestSpeed);
    const double position = std::clamp(s.position + speed, kLeftWall, kRightEnd);
    if (position == kLeftWall && speed < 0) speed = 0;
    const bool arrived = position >= kGoal && speed >= 0;
    s = {static_cast<float>(position), static_cast<float>(speed)};
    return {(arrived ? 100.0 : 0.0) - wanted * wanted * 0.1, arrived};
  }
  void observe(const State& s, float* obs) const {
    obs[0] = static_cast<float>(s.position);
    obs[1] = static_cast<float>(s.speed);
  }
};

}  // namespace spar::classic
