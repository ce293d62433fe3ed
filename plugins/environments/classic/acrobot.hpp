// Two hanging links with a motor between them: torque -1 (0), none (1), +1 (2). Swing the tip above the bar.
//
// Sutton: "Generalization in reinforcement learning: successful examples using sparse coarse coding", 1996; equations
// of Sutton and Barto's book. Lengths, masses and inertias are 1, centres of mass at 0.5, g = 9.8; one Runge-Kutta step
// of 0.2 s. Observation: cos q1, sin q1, cos q2, sin q2, q1', q2'. Reward -1, and 0 for the step that ends the episode.
// End: the tip is more than one length above the bar.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "spar/environment.hpp"

namespace spar::classic {

struct Acrobot : Environment {
  static constexpr const char *id = "org.spar.classic/Acrobot-v1", *version = "1.0.0", *title = "Acrobot, swing up";
  struct State {
    std::array<double, 4> q;  ///< angle of the first link from hanging, of the second from the first, their speeds
  };
  using Action = int64_t;

  static constexpr double kGravity = 9.8, kCentre = 0.5, kTimeStep = 0.2;
  static constexpr double kLargestSpeed1 = 4 * M_PI, kLargestSpeed2 = 9 * M_PI;

  World world() const {
    const double fast1 = static_cast<float>(kLargestSpeed1), fast2 = static_cast<float>(kLargestSpeed2);
    return {Space::box({-1, -1, -1, -1, -fast1, -fast2}, {1, 1, 1, 1, fast1, fast2}), Space::discrete(3), 500};
  }
  void reset(State& s, NumpyRandom& random) const {
    for (double& q : s.q) q = static_cast<float>(random.uniform(-0.1, 0.1));
  }
  Outcome step(State& s, Action action, NumpyRandom& /*random*/) const {
    const std::array<double, 4> next = advance(s.q, static_cast<double>(action - 1));
    s.q[0] = wrap(next[0]);
    s.q[1] = wrap(next[1]);
    s.q[2] = std::clamp(next[2], -kLargestSpeed1, kLargestSpeed1);
    s.q[3] = std::clamp(next[3], -kLargestSpeed2, kLargestSpeed2);
    const bool high = -std::cos(s.q[0]) - std::cos(s.q[1] + s.q[0]) > 1.0;
    return {high ? 0.0 : -1.0, high};
  }
  void observe(const State& s, float* obs) const {
    obs[0] = static_cast<float>(std::cos(s.q[0]));
    obs[1] = static_cast<float>(std::sin(s.q[0]));
    obs[2] = static_cast<float>(std::cos(s.q[1]));
    obs[3] = static_cast<float>(std::sin(s.q[1]));
    obs[4] = static_cast<float>(s.q[2]);
    obs[5] = static_cast<float>(s.q[3]);
  }
  /// wrap() turns one circle at a time: an angle far outside, or NaN, cannot come from step().
  bool valid(const State& s) const { return std::fabs(s.q[0]) <= 100 && std::fabs(s.q[1]) <= 100; }

 private:
  using Vector = std::array<double, 4>;

  static Vector derivative(const Vector& q, double torque) {
    constexpr double kCentre2 = kCentre * kCentre;
    const double cosine = std::cos(q[1]), sine = std::sin(q[1]);
    const double d1 = kCentre2 + (1 + kCentre2 + 2 * kCentre * cosine) + 1 + 1;
    const double d2 = (kCentre2 + kCentre * cosine) + 1;
    const double phi2 = kCentre * kGravity * std::cos(q[0] + q[1] - M_PI / 2);
    const double phi1 = -kCentre * (q[3] * q[3]) * sine - 2 * kCentre * q[3] * q[2] * sine +
                        (kCentre + 1) * kGravity * std::cos(q[0] - M_PI / 2) + phi2;
    const double acceleration2 =
        (torque + d2 / d1 * phi1 - kCentre * (q[2] * q[2]) * sine - phi2) / (kCentre2 + 1 - d2 * d2 / d1);
    const double acceleration1 = -(d2 * acceleration2 + phi1) / d1;
    return {q[2], q[3], acceleration1, acceleration2};
  }
  /// a + factor * b
  static Vector add(const Vector& a, double factor, const Vector& b) {
    return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2], a[3] + factor * b[3]};
  }
  /// One classical Runge-Kutta step.
  static Vector advance(const Vector& q, double torque) {
    const Vector k1 = derivative(q, torque);
    const Vector k2 = derivative(add(q, kTimeStep / 2, k1), torque);
    const Vector k3 = derivative(add(q, kTimeStep / 2, k2), torque);
    const Vector k4 = derivative(add(q, kTimeStep, k3), torque);
    Vector next;
    for (size_t i = 0; i < 4; ++i) next[i] = q[i] + kTimeStep / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    return next;
  }
  static double wrap(double angle) {
    while (angle > M_PI) angle -= 2 * M_PI;
    while (angle < -M_PI) angle += 2 * M_PI;
    return angle;
  }
};

}  // namespace spar::classic
