// Environments whose value functions are known exactly: what an agent must learn before anything else can work. Each
// exists for discrete agents (two actions) and for continuous ones (one number in [-1, 1]).
//
// With discount g:                                        V (or Q of the actions)
//   one_step_reward   one step, reward 1                  1
//   obs_value         obs +-1, one step, reward = obs     obs
//   two_step          obs 0, then obs 1, reward 1         g, then 1
//   two_actions       one step, reward -1 or +1           Q -1, +1
//   match_obs         obs +-1, one step, reward +1 if     Q(match) 1, Q(miss) -1
//                     the action has the obs' sign
//   truncated_forever reward 1, never ends, cut after 5   1 / (1 - g): a cut is no end
// Continuous actions count by their size: two_actions pays a, match_obs pays a * obs.
#pragma once

#include <type_traits>

#include "spar/environment.hpp"

namespace spar::probe {

/// What the probes share. An action as a number: 0 is -1, 1 is +1, a continuous one is itself.
template <bool kContinuous>
struct ValueProbe : Environment {
  using Action = std::conditional_t<kContinuous, const float*, int64_t>;

  static Space actions() { return kContinuous ? Space::box(1, -1, 1) : Space::discrete(2); }
  static double number(Action action) {
    if constexpr (kContinuous)
      return action[0];
    else
      return action == 1 ? 1.0 : -1.0;
  }
};

template <bool kContinuous>
struct OneStepReward : ValueProbe<kContinuous> {
  struct State {
    uint64_t unused;
  };
  World world() const { return {Space::box({0}, {0}), this->actions()}; }
  void reset(State& s, NumpyRandom& /*random*/) const { s = {}; }
  Outcome step(State& /*s*/, typename OneStepReward::Action /*action*/, NumpyRandom& /*random*/) const {
    return {1.0, true};
  }
  void observe(const State& /*s*/, float* obs) const { obs[0] = 0; }
};

template <bool kContinuous>
struct TwoActions : OneStepReward<kContinuous> {
  using State = typename OneStepReward<kContinuous>::State;
  Outcome step(State& /*s*/, typename TwoActions::Action action, NumpyRandom& /*random*/) const {
    return {this->number(action), true};
  }
};

/// The time limit is the point: the host cuts after 5 steps, and the value must not notice.
template <bool kContinuous>
struct TruncatedForever : OneStepReward<kContinuous> {
  using State = typename OneStepReward<kContinuous>::State;
  World world() const { return {Space::box({0}, {0}), this->actions(), 5}; }
  Outcome step(State& /*s*/, typename TruncatedForever::Action /*action*/, NumpyRandom& /*random*/) const {
    return {1.0, false};
  }
};

template <bool kContinuous>
struct ObsValue : ValueProbe<kContinuous> {
  struct State {
    double sign;
  };
  World world() const { return {Space::box({-1}, {1}), this->actions()}; }
  void reset(State& s, NumpyRandom& random) const { s.sign = random.random() < 0.5 ? -1 : 1; }
  Outcome step(State& s, typename ObsValue::Action /*action*/, NumpyRandom& /*random*/) const { return {s.sign, true}; }
  void observe(const State& s, float* obs) const { obs[0] = static_cast<float>(s.sign); }
};

template <bool kContinuous>
struct MatchObs : ObsValue<kContinuous> {
  using State = typename ObsValue<kContinuous>::State;
  Outcome step(State& s, typename MatchObs::Action action, NumpyRandom& /*random*/) const {
    return {this->number(action) * s.sign, true};
  }
};

template <bool kContinuous>
struct TwoStep : ValueProbe<kContinuous> {
  struct State {
    uint64_t steps;
  };
  World world() const { return {Space::box({0}, {1}), this->actions()}; }
  void reset(State& s, NumpyRandom& /*random*/) const { s.steps = 0; }
  Outcome step(State& s, typename TwoStep::Action /*action*/, NumpyRandom& /*random*/) const {
    const bool second = s.steps >= 1;
    s.steps = 1;
    return {second ? 1.0 : 0.0, second};
  }
  void observe(const State& s, float* obs) const { obs[0] = s.steps >= 1 ? 1.0F : 0.0F; }
};

}  // namespace spar::probe
