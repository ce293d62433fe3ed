// Training managers on small experiments.
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <ostream>
#include <string>

#include "core/manager/training_manager.hpp"
#include "support/files.hpp"

namespace spar {
inline std::ostream& operator<<(std::ostream& out, InterfaceStatus status) { return out << name(status); }
}  // namespace spar

namespace spar::test {

using Measure = config::Condition::Measure;

/// The plugins of the build tree. One per process: plugins are initialised once.
inline Plugins& manager_plugins() {
  static Plugins plugins({SPAR_BUILD_DIR "/lib/spar/plugins"});
  return plugins;
}

inline AlgorithmSpec small_dqn(const std::string& more = "") {
  return {"dqn", "hidden_layers = [16]\nbatch_size = 16\nbuffer_size = 2_000\nwarm_up = 50\n" + more};
}
inline AlgorithmSpec small_ppo() {
  return {"ppo", "hidden_layers = [16]\nrollout_length = 10\nbatch_size = 20\nnum_epochs = 2"};
}

/// Tag with two groups: predators learn by PPO, their prey by DQN.
inline TrainingManagerConfig tag_config(const TemporaryDirectory& directory, uint64_t steps = 300) {
  TrainingManagerConfig out;
  out.experiment_tag = "tag";
  out.stopping_conditions.global.any = {{Measure::env_steps, static_cast<double>(steps)}};
  out.algorithms = {{"predators", small_ppo()}, {"default", small_dqn()}};
  out.env_desc = {.id = "simple_tag_v3", .count = 2};
  out.agent_mapping = std::map<std::string, std::string>{{"adversary_*", "predators"}, {"agent_0", "prey"}};
  out.training_config = "[eval]\nevery = 150\nepisodes = 2";
  out.log_dir = directory.path();
  out.verbose = false;
  return out;
}

/// The climbing game, two players who learn by DQN.
inline TrainingManagerConfig climbing_config(const TemporaryDirectory& directory, uint64_t steps = 300) {
  TrainingManagerConfig out = tag_config(directory, steps);
  out.experiment_tag = "climbing";
  out.algorithms = {{"default", small_dqn()}};
  out.env_desc = {.id = "climbing", .count = 2};
  out.agent_mapping = "identity";
  return out;
}

/// Code and sentence of the error that `call` throws; "nothing was thrown" if it throws none.
inline std::string manager_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() + " " + error.what();
  }
  return "nothing was thrown";
}

}  // namespace spar::test
