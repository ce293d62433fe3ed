// What a training manager is made of. Every field is a plain value; what a field may hold is checked when the manager
// is made, with the messages of `spar train`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/agent/options.hpp"
#include "core/config/experiment.hpp"
#include "core/manager/services.hpp"
#include "core/train/plugins.hpp"

namespace spar {

/// One way to learn.
struct AlgorithmSpec {
  std::string algorithm;            ///< id, short id or a unique beginning of an algorithm plugin
  AgentOptions options = {};        ///< of the algorithm; what is left out has its default
  std::string network = {};         ///< its option `network`, by name; "" = its default
  AgentOptions custom_config = {};  ///< further options, which win over `options`
};

/// [env] of an experiment.
struct EnvDescription {
  std::string id;
  AgentOptions options = {};
  uint32_t count = 1;   ///< copies stepped together
  uint32_t shards = 1;  ///< instances that share them
};

/// Which agents belong together, as agent -> runtime id: the name of a rule ("identity": each agent is its own, named
/// as the agent; "shared": all are "shared"), a map from agents or beginnings of agents ("adversary_*") to runtime ids,
/// or a function, which is called once for each agent when the manager is made.
using AgentMapping =
    std::variant<std::string, std::map<std::string, std::string>, std::function<std::string(const std::string&)>>;

/// In the scopes that there are.
struct StoppingConditions {
  config::StopConfig global;         ///< of run(): [stop] of an experiment
  config::StopConfig training = {};  ///< of AgentInterface::train() unless it is
                                     ///< given others: train_steps and seconds
};

/// [strategy] of an experiment.
struct InterfaceConfig {
  std::string type = "independent";
  AgentOptions options = {};
};

struct ResourceConfig {
  uint32_t threads = 1;                                 ///< that work together; they change no number
  std::string device = {};                              ///< option `device` of every algorithm; "" = its default
  std::optional<uint64_t> memory_bytes = std::nullopt;  ///< a run that is estimated to need more is refused
};

struct TrainingManagerConfig {
  std::string experiment_tag = "experiment";  ///< names the experiment and the directories of its runs
  StoppingConditions stopping_conditions;
  /// By key. A runtime id is trained by the algorithm whose key it is, others by that of the key "default".
  std::map<std::string, AlgorithmSpec> algorithms;
  EnvDescription env_desc;
  AgentMapping agent_mapping = std::string("identity");
  /// The key `seed` and the sections [eval], [checkpoint] and [threshold] of an experiment, as TOML or JSON.
  AgentOptions training_config = {};
  std::filesystem::path log_dir = "logs";  ///< every run makes a directory of its own in it
  bool remote_mode = false;                ///< interfaces in processes of their own: not
                                           ///< offered yet, true is refused
  ResourceConfig resource_config = {};
  InterfaceConfig interface_config = {};
  bool verbose = true;  ///< evaluations, warnings and the end of a run, one line
                        ///< each, on stderr
  /// Where references are looked up; null: services of this manager alone.
  std::shared_ptr<Services> services = nullptr;
};

/// The experiment that `spar train` would have of these fields. Throws what loading an experiment throws, E1201 for a
/// field that cannot be served and E1202 for a runtime id without an algorithm.
config::Experiment make_experiment(Plugins& plugins, const TrainingManagerConfig& config);

/// The key of the algorithm that trains `runtime_id`. Throws E1202 listing the keys if there is none.
std::string algorithm_key(const std::map<std::string, AlgorithmSpec>& algorithms, const std::string& runtime_id);

}  // namespace spar
