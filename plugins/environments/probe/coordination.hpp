// Two agents, one step, nothing to see: both get 1 if they choose the same action, else 0. Either choice is an
// equilibrium; agents that learn alone must settle on the same one.
#pragma once

#include "spar/environment.hpp"

namespace spar::probe {

struct Coordination : Environment {
  static constexpr const char *id = "org.spar.probe/coordination", *version = "1.0.0",
                              *title = "Two agents that must agree";
  struct Config {
    int64_t n = 2;
  };
  static const Schema<Config>& schema() {
    static const auto instance = Schema<Config>().integer("n", &Config::n, between(2, 1000), "actions of each agent");
    return instance;
  }
  struct State {
    uint64_t unused;
  };
  using Action = int64_t;

  explicit Coordination(const Config& config) : config_(config) {}

  World world() const {
    const Space nothing = Space::box({0}, {0}), choice = Space::discrete(config_.n);
    return World({{"agent_0", nothing, choice}, {"agent_1", nothing, choice}});
  }
  void reset(State& s, NumpyRandom& /*random*/) const { s = {}; }
  void step(State& /*s*/, const Action* actions, Outcome* outcomes, NumpyRandom& /*random*/) const {
    const double reward = actions[0] == actions[1] ? 1.0 : 0.0;
    outcomes[0] = outcomes[1] = {reward, true};
  }
  void observe(const State& /*s*/, size_t /*agent*/, float* obs) const { obs[0] = 0; }

 private:
  Config config_;
};

}  // namespace spar::probe
