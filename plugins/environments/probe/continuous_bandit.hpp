// One step, one number a in [low, high], reward -(a - target)^2: the best action is the target. The bounds are
// lopsided, so an agent that forgets the scale or the offset of its actions is stuck: at a <= 1 with reward -1 for the
// defaults.
#pragma once

#include "spar/environment.hpp"

namespace spar::probe {

struct ContinuousBandit : Environment {
  static constexpr const char *id = "org.spar.probe/continuous_bandit", *version = "1.0.0",
                              *title = "Continuous bandit with lopsided bounds";
  struct Config {
    double low = -1, high = 3, target = 2;
  };
  static const Schema<Config>& schema() {
    static const auto instance = Schema<Config>()
                                     .real("low", &Config::low, any_number(), "lower bound of the action")
                                     .real("high", &Config::high, any_number(), "upper bound of the action")
                                     .real("target", &Config::target, any_number(), "action with the reward 0");
    return instance;
  }
  struct State {
    uint64_t unused;
  };
  using Action = const float*;

  explicit ContinuousBandit(const Config& config) : config_(config) {}

  World world() const { return {Space::box({0}, {0}), Space::box({config_.low}, {config_.high})}; }
  void reset(State& s, NumpyRandom& /*random*/) const { s = {}; }
  Outcome step(State& /*s*/, Action action, NumpyRandom& /*random*/) const {
    const double miss = action[0] - config_.target;
    return {-(miss * miss), true};
  }
  void observe(const State& /*s*/, float* obs) const { obs[0] = 0; }

 private:
  Config config_;
};

}  // namespace spar::probe
