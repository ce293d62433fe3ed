// What an environment's author derives from: the dynamics of ONE copy as plain functions of its State. The wrapper
// keeps the copies in one array, loops over them inside a single call of the contract, and gives save, restore and
// clone.
//
//   struct Walk : spar::Environment {
//     static constexpr const char *id = "org.example.walk", *version = "1.0.0", *title = "Random walk";
//     struct State { int64_t cell; };        // one copy; trivially copyable, or see save() and load() below
//     using Action = int64_t;                // DISCRETE: int64_t; BOX: const float*, as many numbers as the space
//     spar::World world() const { return {spar::Space::box({0}, {9}), spar::Space::discrete(2), 100}; }
//     void reset(State& s, spar::NumpyRandom& random) const { s.cell = random.integers(9); }
//     spar::Outcome step(State& s, Action a, spar::NumpyRandom&) const {
//       s.cell += a == 1 ? 1 : -1;
//       return {s.cell == 9 ? 1.0 : 0.0, s.cell == 9 || s.cell < 0};
//     }
//     void observe(const State& s, float* obs) const { obs[0] = static_cast<float>(s.cell); }
//   };
//   SPAR_PLUGIN("org.example.walk", "1.0.0", Walk)
//
// Several agents that all act at once (world() lists more than one, or step has this shape):
//     void step(State&, const Action* actions, spar::Outcome* outcomes, spar::NumpyRandom&);    // one entry per agent
//     void observe(const State&, size_t agent, float* obs) const;
//
// Options: `struct Config` + `static const spar::Schema<Config>& schema()` + a constructor from `const Config&` (or
// from `spar::Context, const Config&`). One object serves all copies, so what it holds must not belong to one of them.
//
// Where needed:
//     using Observation = uint8_t;                                       pictures; default float
//     static constexpr uint32_t kFlags = 0;                              if randomness enters after the reset
//     static constexpr bool kTruncates = true;                           if Outcome::truncated is used
//     bool acting(const State&, size_t agent) const;                     does this agent move next?
//     bool alive(const State&, size_t agent) const;                      is it still in the game?
//     void action_mask(const State&, size_t agent, uint8_t*) const;      1 = allowed, one entry per discrete action
//     void central_state(const State&, float*) const;                    what central critics see, with World::state
//     std::string text(const State&, size_t agent) const;                what it sees, in lines for a person who plays
//     it std::string action_name(const State&, size_t agent, int64_t) const;   what a discrete action is called there;
//     ""
//                                                                           = its number says it all. With text() only
//     bool valid(const State&) const;                                    may a loaded state be used?
//     void step_all(State*, const int64_t* or float* actions, spar::Outcome*, spar::NumpyRandom*, size_t n) const;
//                                                                        the steps of n copies in one call, beside
//                                                                        step(), for speed: the same bits. One agent
//     void save(const State&, spar::StreamWriter&) const;                a State that is not trivially copyable: both,
//     or void load(State&, spar::StreamReader&) const;                      the environment has no state extension
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spar/numpy_random.hpp"
#include "spar/schema.hpp"
#include "spar/space.hpp"

namespace spar {

/// What one step gives to one agent.
struct Outcome {
  double reward = 0;
  bool terminated = false;
  bool truncated = false;  ///< the dynamics cut the episode; time limits are the host's
};

struct AgentSpaces {
  std::string id;
  Space obs, act;
};

struct World {
  World(Space obs, Space act, uint64_t limit = 0) : time_limit(limit) {
    agents.push_back({"agent_0", std::move(obs), std::move(act)});
  }
  explicit World(std::vector<AgentSpaces> list, uint64_t limit = 0) : agents(std::move(list)), time_limit(limit) {}

  std::vector<AgentSpaces> agents;
  uint64_t time_limit;                        ///< recommended steps per episode, applied by the host; 0 = none
  std::optional<Space> state = std::nullopt;  ///< of float32, filled by central_state(); none: the joined observations
};

namespace detail {
template <class E>
struct EnvironmentTable;
}

struct Environment {
  static constexpr uint32_t kKind = SPAR_KIND_ENV;
  static constexpr uint32_t kFlags = SPAR_ENV_DETERMINISTIC;
  static constexpr bool kTruncates = false;
  using Observation = float;
  struct Config {};
  static const Schema<Config>& schema() {
    static const Schema<Config> none;
    return none;
  }
  template <class E>
  static const void* table() {
    return &detail::EnvironmentTable<E>::kTable;
  }
};

}  // namespace spar

#include "spar/environment_table.hpp"
