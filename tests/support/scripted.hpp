// Environments, algorithms and strategies that do what a test says: function tables of this program, no plugin file.
//
// Each is a value with a component(); its only option carries the value's address, so nothing is global and two of a
// kind may live side by side. The value outlives every instance made of it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/config/options.hpp"
#include "core/plugin/context.hpp"
#include "core/plugin/host_table.hpp"
#include "spar/abi.h"
#include "spar/space.hpp"

namespace spar::test {

/// A host that offers every service of the real one.
const spar_host& scripted_host();

/// The error's code, a space, its sentence; "nothing was thrown" if `call` throws nothing.
std::string error_of(const std::function<void()>& call);

/// One copy at one moment.
struct Moment {
  uint64_t copy = 0, episode = 0, t = 0;  ///< episode: resets of this copy so far; t: steps since its last reset
  uint64_t seed = 0;                      ///< of the reset that began the episode; 0 if it had none
};

/// The observation that the environments below give unless told otherwise: every moment has its own number.
inline float number_of(const Moment& m) { return static_cast<float>(m.copy * 100'000 + m.episode * 1'000 + m.t); }

class ScriptedEnvironment {
 public:
  struct Agent {
    std::string id = "agent_0";
    Space obs = Space::box(1, -1e6, 1e6), act = Space::discrete(4);
    const spar_space* obs_override = nullptr;  ///< e.g. a DICT, which Space does not make
    const spar_space* act_override = nullptr;
    std::vector<std::string> columns;
  };

  ScriptedEnvironment();
  ScriptedEnvironment(const ScriptedEnvironment&) = delete;
  ScriptedEnvironment& operator=(const ScriptedEnvironment&) = delete;

  std::vector<Agent> agents{Agent{}};
  uint64_t time_limit = 0;
  bool saves = true;  ///< offers spar.env.state/1
  std::function<bool(const Moment&)> terminated = [](const Moment&) { return false; };
  std::function<bool(const Moment&)> truncated = [](const Moment&) { return false; };
  std::function<float(const Moment&, size_t agent)> reward = [](const Moment&, size_t) { return 1.0F; };
  /// Writes number j of leaf `leaf` of an observation.
  std::function<float(const Moment&, size_t agent, size_t leaf, size_t j)> observe =
      [](const Moment& m, size_t, size_t, size_t) { return number_of(m); };
  /// Of an agent with the column "action_mask".
  std::function<bool(const Moment&, size_t agent, size_t action)> allows = [](const Moment&, size_t, size_t) {
    return true;
  };
  /// Of an agent with the column "acting".
  std::function<bool(const Moment&, size_t agent)> acts = [](const Moment&, size_t) { return true; };
  std::optional<Space> state;  ///< the central one, f32
  /// Number j of it.
  std::function<float(const Moment&, size_t j)> central = [](const Moment& m, size_t) { return number_of(m); };
  std::string fails_in;  ///< name of the call that fails: "create", "describe", "reset", "step", "state.save"
  spar_status status = SPAR_E_INTERNAL;
  std::string message = "the script says so";

  struct Reset {
    std::vector<uint8_t> mask;    ///< empty: all
    std::vector<uint64_t> seeds;  ///< empty: none
  };
  std::vector<Reset> resets;
  std::vector<std::vector<float>> boxes;       ///< per step: the BOX actions of agent 0 as they came
  std::vector<std::vector<int64_t>> discrete;  ///< .. or its DISCRETE ones
  std::vector<std::vector<int64_t>> moves;     ///< of the step that is taken: by agent, its DISCRETE actions
  int alive = 0;                               ///< instances made and not destroyed

  const spar_component& component() const { return component_; }
  const spar_config& config() const { return *view_->get(); }
  config::Options options() const { return options_; }

 private:
  spar_component component_{};
  config::Options options_;
  std::unique_ptr<config::ConfigView> view_;
};

class ScriptedAlgorithm {
 public:
  explicit ScriptedAlgorithm(uint32_t flags = SPAR_ALGO_DISCRETE | SPAR_ALGO_CONTINUOUS);
  ScriptedAlgorithm(const ScriptedAlgorithm&) = delete;
  ScriptedAlgorithm& operator=(const ScriptedAlgorithm&) = delete;

  void honour_masks();      ///< declares SPAR_ALGO_HONOURS_MASK; call before anything is made of it
  void keep_in_networks();  ///< declares SPAR_ALGO_HOSTED_NETWORKS; likewise

  spar_needs needs{};  ///< 1-step uniform replay of 1,000 transitions, gamma 0.9, learning after each transition
  /// Writes the actions; default: zeros.
  std::function<void(const spar_act&, const spar_batch& obs, spar_batch& out)> act;
  std::function<void(spar_ctx*, const spar_host*, uint64_t step)> learn;  ///< may throw StatusError
  std::function<void(spar_ctx*)> create;                                  ///< networks are made here
  std::string fails_in;  ///< "create", "needs", "act", "learn", "save", "load"
  spar_status status = SPAR_E_INTERNAL;
  std::string message = "the script says so";
  std::string state;  ///< saved and loaded

  struct Made {
    std::string name;  ///< of the context
    uint32_t role, actor, n_actors;
    uint64_t max_rows;
    uint64_t state_width = 0, joint_width = 0, own_offset = 0;  ///< of a central critic
  };
  std::vector<Made> made;  ///< every instance, in order
  struct Acted {
    std::string by;  ///< name of the instance's context
    uint32_t mode;
    uint64_t step, rows;
    std::vector<uint64_t> lanes;
    std::vector<float> obs;            ///< first f32 column
    std::vector<uint8_t> first, mask;  ///< mask: empty if there is none
  };
  std::vector<Acted> acted;
  std::vector<uint64_t> learnt;  ///< steps of the calls of learn()
  std::mutex mutex;              ///< of `learnt`, where several learn at the same time
  int alive = 0;
  std::map<std::string, spar_ctx*> contexts;  ///< by name of the learner, of instances alive

  const spar_component& component() const { return component_; }
  const spar_config& config() const { return *view_->get(); }
  config::Options options() const { return options_; }

 private:
  spar_algo_vtbl table_;
  spar_component component_{};
  config::Options options_;
  std::unique_ptr<config::ConfigView> view_;
};

class ScriptedStrategy {
 public:
  struct Group {
    std::string name{};
    std::vector<uint32_t> agents{};
    uint32_t join = SPAR_JOIN_NONE, actors = 1, learners = 1, flags = 0, max_staleness = 0;
    uint32_t apply = SPAR_APPLY_LOCAL;
    double samples_per_insert = 0;
    std::string algorithm_slot = {};
  };
  ScriptedStrategy();
  ScriptedStrategy(const ScriptedStrategy&) = delete;
  ScriptedStrategy& operator=(const ScriptedStrategy&) = delete;

  std::vector<Group> groups{{"agent_0", {0}}};
  bool serves_groups = false;                                ///< offers SPAR_EXT_STRATEGY_GROUPS, and forgets them
  std::function<spar_directive(const spar_progress&)> next;  ///< default: COLLECT 1
  std::string fails_in;                                      ///< "create", "plan", "next"
  spar_status status = SPAR_E_INTERNAL;
  std::string message = "the script says so";
  std::string state;

  const spar_component& component() const { return component_; }
  const spar_config& config() const { return *view_->get(); }
  config::Options options() const { return options_; }

 private:
  spar_component component_{};
  config::Options options_;
  std::unique_ptr<config::ConfigView> view_;
};

/// What a memory holds, oldest window first: everything that was closed so far.
struct Stored {
  float obs, action, reward, discount, next_obs;
  uint8_t terminated;
  bool operator==(const Stored&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Stored& row);

/// The whole memory of a replay learner, read through spar.buffer/1 by its instance's context. `action`: the first
/// number of BOX, or the DISCRETE one.
std::vector<Stored> stored(spar_ctx* ctx);

}  // namespace spar::test
