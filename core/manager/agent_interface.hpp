// AgentInterface: what learns for the agents of one runtime id. A training manager makes them; this is the handle to
// one.
//
// Everything that it answers is a copy. All members may be called by any thread while the manager trains: what touches
// parameters then happens between two steps of the training, and waits for that.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/agent/batch.hpp"
#include "core/manager/config.hpp"
#include "core/manager/manager.hpp"
#include "core/manager/strategy_spec.hpp"

namespace spar {

/// How a new policy begins.
enum class Init {
  fresh,  ///< as a run begins one, with random streams of its own
  newest  ///< as a copy of the newest policy, optimiser included
};

namespace detail {
class Engine;
}

class AgentInterface : public RemoteInterface {
 public:
  static constexpr uint32_t kTries = 10;

  /// For TrainingManager.
  AgentInterface(std::shared_ptr<detail::Engine> engine, size_t group);
  ~AgentInterface() override;
  AgentInterface(const AgentInterface&) = delete;
  AgentInterface& operator=(const AgentInterface&) = delete;

  const std::string& runtime_id() const { return runtime_id_; }
  std::vector<std::string> governed_agents() const;  ///< in the order of the environment
  std::string device() const;                        ///< where its networks live: "cpu", "cuda" or "auto"

  /// Adds n policies; the last of them is the one that is trained next, those before it stay as they begin. What was in
  /// training is kept as it is now. Returns all policies, the newest with probability 1. Throws E1203 while training.
  StrategySpec add_policies(uint32_t n = 1, Init init = Init::fresh);
  StrategySpec strategy_spec() const;

  /// The algorithm of a key of TrainingManagerConfig::algorithms. Throws E1202 listing the keys.
  AlgorithmSpec get_algorithm(const std::string& key) const;
  std::map<std::string, AlgorithmSpec> get_algorithms() const;
  [[deprecated("get_algorithms()")]] std::map<std::string, AlgorithmSpec> get_algorthms() const {
    return get_algorithms();
  }
  /// The key of the algorithm that trains this interface.
  std::string algorithm_key() const;

  InterfaceState get_interface_state() const override;
  /// SHA-256 of the parameters in training, as a run's summary has it.
  std::string parameters_sha256() const;

  /// Chooses whose tables and parameters train(), push() and pull() use: "local:NAME" of
  /// TrainingManagerConfig::services, "" = the manager's own. Tries up to `max_tries` times, with pauses of 1 ms
  /// doubling up to 200 ms. Throws ConnectError naming the reference and the last cause; then the connection of before
  /// stays. Again with the same references: nothing changes.
  void connect(uint32_t max_tries = kTries, const std::string& dataset_server_ref = "",
               const std::string& parameter_server_ref = "") override;

  /// Publishes the policy in training under RUNTIME_ID/POLICY as named tensors (core/rollout/tensors.hpp): a deep copy
  /// that nobody changes any more. Returns its version, from 1.
  uint64_t push() override;
  /// Takes the newest version of the policy in training, if it is newer than what was pushed or pulled last; returns
  /// the version that it has then. Values of the networks change, optimiser and memory stay. Throws E1004 if it does
  /// not fit.
  uint64_t pull() override;
  /// Publishes every policy, those that are not trained any more only once; returns the version of each.
  std::map<std::string, uint64_t> sync_remote_parameters() override;

  /// As if it had not been trained yet: status idle, no reason, no error, counts of train() from 0. Parameters, memory
  /// and policies stay. Throws E1203 while training.
  void reset() override;

  /// Learns on what the table holds, without acting, until a condition holds; on the calling thread. train_steps counts
  /// the updates of train() since reset(), seconds this call. reset_state: reset() first. No conditions: those of
  /// StoppingConditions::training. Returns the state: `stopped` if terminate() came first. Throws E1201 for conditions
  /// on anything else or none, E1206 for another table or generation than the interface's, E1207 for one of a team with
  /// central critics, which learns with the others, E1203 while training, E1003 if the table holds too little, E0302 if
  /// what is learnt is not finite; after these last two the status is `failed`.
  InterfaceState train(const DataRequest& data_request_identifier, const config::StopConfig& stopping_conditions = {},
                       bool reset_state = true) override;

  /// Transitions of the governed agents as the learner's rows. One batch: as it is. One for each governed agent, with
  /// equal rows: where the agents share a policy, row by row, agent after agent. Throws E1002 if numbers, columns or
  /// rows do not fit, E1207 where the strategy joins the agents as one.
  TransitionBatch multiagent_post_process(const std::vector<const TransitionBatch*>& batch_info) const;

 private:
  std::shared_ptr<detail::Engine> engine_;
  size_t group_;
  std::string runtime_id_;
};

}  // namespace spar
