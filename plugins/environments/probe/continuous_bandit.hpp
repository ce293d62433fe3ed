// One step, one number a in [low, high], reward -(a - target)^2: the best action is the target. The bounds are
// lopsided, so an agent that forgets the scale or the offset of its actions is stuck: at a <= 1 with reward -1 for the
// defaults. With n numbers, number i (from 1) has i times the bounds and the target, so that no two dimensions are
// alike, and the reward is the mean of -((a_i - i target) / i)^2.
#pragma once

#include <vector>

#include "spar/environment.hpp"

namespace spar::probe {

struct ContinuousBandit : Environment {
  static constexpr const char *id = "org.spar.probe/continuous_bandit", *version = "1.0.0",
                              *title = "Continuous bandit with lopsided bounds";
  struct Config {
    double low = -1, high = 3, target = 2;
    int64_t n = 1;
  };
  static const Schema<Config>& schema() {
    static const auto instance = Schema<Config>()
                                     .real("low", &Config::low, any_number(), "lower bound of the action")
                                     .real("high", &Config::high, any_number(), "upper bound of the action")
                                     .real("target", &Config::target, any_number(), "action with the reward 0")
                                     .integer("n", &Config::n, between(1, 1000), "numbers in an action");
    return instance;
  }
  struct State {
    uint64_t unused;
  };
  using Action = const float*;

  explicit ContinuousBandit(const Config& config) : config_(config) {}

  World world() const {
    std::vector<double> low, high;
    for (int64_t i = 1; i <= config_.n; ++i) {
      low.push_back(static_cast<double>(i) * config_.low);
      high.push_back(static_cast<double>(i) * config_.high);
    }
    return {Space::box({0}, {0}), Space::box(std::move(low), std::move(high))};
  }
  void reset(State& s, NumpyRandom& /*random*/) const { s = {}; }
  Outcome step(State& /*s*/, Action action, NumpyRandom& /*random*/) const {
    double squares = 0;
    for (int64_t i = 0; i < config_.n; ++i) {
      const double miss = action[i] / static_cast<double>(i + 1) - config_.target;
      squares += miss * miss;
    }
    return {-squares / static_cast<double>(config_.n), true};
  }
  void observe(const State& /*s*/, float* obs) const { obs[0] = 0; }

 private:
  Config config_;
};

}  // namespace spar::probe
