// What every player of a league is made of: the game it plays, its algorithm and their options.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/experiment.hpp"
#include "core/game/views.hpp"
#include "core/league/seating.hpp"
#include "core/rollout/learner.hpp"
#include "core/train/strategy.hpp"

namespace spar::league {

/// 1, 0 or 1/2: what the result of a game counts for the one who earned `own`, against one who earned `other`. Returns
/// are sums of 32-bit rewards.
double score(double own, double other);

/// A game of moderate size, on which greedy play is computed instead of played.
struct ExactGame {
  game::SeenGame seen;
  game::SequenceForm scores;  ///< the same, whose payoffs are score() - 1/2
};

class Arena {
 public:
  /// Tries out a learner. References outlive it. Throws E1109 for a game or an algorithm that no league can be made of,
  /// E0308 for such a strategy, and what Environment and Learner throw.
  Arena(const config::Experiment& experiment, rollout::ComponentLoader load, const spar_host& host);

  const config::Experiment& experiment() const { return experiment_; }
  /// Of a player at either seat.
  const rollout::AgentPort& port() const { return seating_->learner().port(); }
  /// Names of the networks that an acting instance (SPAR_ROLE_ACT) has, sorted.
  const std::vector<std::string>& acting_networks() const { return acting_networks_; }
  /// Of observations, before anything was observed.
  const rollout::ObservationTransform& transform() const { return transform_; }
  const std::vector<std::string>& backends() const { return backends_; }  ///< of networks, sorted
  uint64_t learner_bytes() const { return learner_bytes_; }               ///< of one learner, in memory
  uint64_t saved_bytes() const { return saved_bytes_; }                   ///< of one learner, in a checkpoint
  /// Null unless past players act greedily and the tree has at most train::kJudgedHistories positions.
  const ExactGame* exact() const { return exact_.get(); }

  std::unique_ptr<rollout::Environment> environment(uint64_t copies, uint64_t root_seed,
                                                    const std::string& stream) const;
  std::unique_ptr<train::Strategy> strategy(uint64_t root_seed) const;
  uint32_t group() const { return group_; }  ///< of the strategy: what every player is in it
  /// Of a learner, or of somebody who only acts; without parameter store, metrics and budget.
  rollout::LearnerSetup setup(std::string name, uint64_t root_seed) const;

 private:
  void check_algorithm() const;
  void try_out();
  void compile();

  const config::Experiment& experiment_;
  rollout::ComponentLoader load_;
  const spar_host& host_;
  config::ConfigView env_options_, algorithm_options_, strategy_options_;
  std::unique_ptr<rollout::Environment> sample_;  ///< for its ports
  std::unique_ptr<Seating> seating_;
  std::vector<std::string> acting_networks_, backends_;
  rollout::ObservationTransform transform_;
  uint32_t group_ = 0;
  uint64_t learner_bytes_ = 0, saved_bytes_ = 0;
  std::unique_ptr<ExactGame> exact_;
};

}  // namespace spar::league
