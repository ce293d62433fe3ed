// TrainingManager: several learners, trained together, in a C++ program. The same engine as `spar train`: the same
// experiment gives the same parameters, bit for bit.
//
//   spar::TrainingManager manager(
//       plugins, {.stopping_conditions = {{.any = {{Measure::env_steps, 20'000}}}},
//                 .algorithms = {{"predators", {"ddpg"}}, {"default", {"sac"}}},
//                 .env_desc = {"simple_tag_v3_continuous"},
//                 .agent_mapping = std::map<std::string, std::string>{{"adversary_*", "predators"}, {"*", "prey"}}});
//   manager.run();
//   for (const auto& [runtime_id, state] : manager.retrieve_results()) ..
//
// Members may be called by any thread; `plugins` is for one thread, the one that makes managers and adds policies.
// share/doc/manager.md has a line for every member.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/game/exploitability.hpp"
#include "core/manager/agent_interface.hpp"
#include "core/run/summary.hpp"

namespace spar {

class TrainingManager : public Manager {
 public:
  /// Puts everything together, so problems show here. `plugins` outlives the manager and its interfaces. Throws what
  /// `spar train` throws, and E1201 and E1202.
  TrainingManager(Plugins& plugins, TrainingManagerConfig config);
  /// terminate()
  ~TrainingManager() override;
  TrainingManager(const TrainingManager&) = delete;
  TrainingManager& operator=(const TrainingManager&) = delete;

  /// Adds policies to interfaces; no ids: to all. run() adds one to each that has none, so nobody has to begin with
  /// this. What is trained next is a new generation. Throws E1202 for an unknown id, E1203 while training.
  std::map<std::string, StrategySpec> add_policies(const std::vector<std::string>& interface_ids = {}, uint32_t n = 1,
                                                   Init init = Init::fresh);
  /// As many as the map says, to those that it names.
  std::map<std::string, StrategySpec> add_policies(const std::map<std::string, uint32_t>& n, Init init);

  /// Runtime id -> its agents, in the order of the environment.
  std::map<std::string, std::vector<std::string>> agent_groups() const;
  /// In the order of their first agents; always the same.
  std::vector<std::string> runtime_ids() const;
  const std::map<std::string, std::shared_ptr<AgentInterface>>& workers() const { return workers_; }
  /// Throws E1202.
  AgentInterface& worker(const std::string& runtime_id) const;

  /// Starts training the newest policies on a thread of its own and returns. Throws E1203 if they are in training or
  /// were trained already (add_policies() first), or after terminate(); E1206 for a request of another table or
  /// generation.
  void run(const std::map<std::string, DataRequest>& data_request_identifiers = {}) override;
  /// Throws E1203 if run() was not called.
  std::map<std::string, InterfaceState> retrieve_results() override;
  [[deprecated("retrieve_results()")]] std::map<std::string, InterfaceState> retrive_results() {
    return retrieve_results();
  }
  void terminate() override;

  /// How far from equilibrium the players are if each draws one of its policies with these probabilities at the
  /// beginning of a game and plays it greedily: exact, by best responses on the game tree. Every runtime id needs a
  /// mixture. Throws E1202, E1204, and E1207 on what has no game tree of moderate size or is played jointly.
  game::Exploitability get_exp(const std::map<std::string, std::map<std::string, double>>& policy_distribution);

  const config::Experiment& experiment() const;  ///< of the generation in training
  uint64_t generation() const;                   ///< from 0
  std::filesystem::path run_directory() const;   ///< of the last run(); empty before
  run::Summary summary() const;                  ///< of the last run that has ended; throws E1203 if there is none
  std::vector<std::string> warnings() const;     ///< about the configuration, e.g. deprecated options

 private:
  std::shared_ptr<detail::Engine> engine_;
  std::map<std::string, std::shared_ptr<AgentInterface>> workers_;
};

}  // namespace spar
