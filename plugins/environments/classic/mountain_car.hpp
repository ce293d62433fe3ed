// An underpowered car that must swing out of a valley: pushes left (0), none (1), right (2).
//
// Moore: "Efficient memory-based learning for robot control", 1990, in the form of Sutton's hill y = sin 3x.
// Observation: position, speed. Reward -1 for each step. End: position >= 0.5 with speed >= 0.
#pragma once

#include <algorithm>
#include <cmath>

#include "spar/environment.hpp"

namespace spar::classic {

struct MountainCar : Environment {
  static constexpr const char *id = "org.spar.classic/MountainCar-v0", *version = "1.0.0",
                              *title = "Car in a valley, three pushes";
  struct State {
    double position, speed;
  };
  using Action = int64_t;

  static constexpr double kLeftWall = -1.2, kRightEnd = 0.6, kGoal = 0.5;
  static constexpr double kLargestSpeed = 0.07;
  static constexpr double kForce = 0.001, kGravity = 0.0025;

  World world() const {
    return {Space::box({static_cast<float>(kLeftWall), -static_cast<float>(kLargestSpeed)},
                       {static_cast<float>(kRightEnd), static_cast<float>(kLargestSpeed)}),
            Space::discrete(3), 200};
  }
  void reset(State& s, NumpyRandom& random) const { s = {random.uniform(-0.6, -0.4), 0.0}; }
  Outcome step(State& s, Action action, NumpyRandom& /*random*/) const {
    s.speed += static_cast<double>(action - 1) * kForce - std::cos(3 * s.position) * kGravity;
    s.speed = std::clamp(s.speed, -kLargestSpeed, kLargestSpeed);
    s.position = std::clamp(s.position + s.speed, kLeftWall, kRightEnd);
    if (s.position == kLeftWall && s.speed < 0) s.speed = 0;
    return {-1.0, s.position >= kGoal && s.speed >= 0};
  }
  void observe(const State& s, float* obs) const {
    obs[0] = static_cast<float>(s.position);
    obs[1] = static_cast<float>(s.speed);
  }
};

}  // namespace spar::classic
