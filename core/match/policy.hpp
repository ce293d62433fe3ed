// Who can be sat at the seats of an environment: what a run has learnt or solved, and uniform play.
#pragma once

#include <memory>
#include <string>

#include "core/config/experiment.hpp"
#include "core/game/plan.hpp"
#include "core/game/views.hpp"
#include "core/rollout/opponent.hpp"
#include "core/run/run_directory.hpp"
#include "core/train/session.hpp"

namespace spar::match {

class Policy {
 public:
  virtual ~Policy() = default;

  /// Somebody who plays agent number `agent` of `environment`, which has at most train::kEvaluationCopies copies. What
  /// is drawn comes from `random`. The policy and the environment outlive it.
  virtual std::unique_ptr<rollout::Opponent> sit(const rollout::Environment& environment, size_t agent,
                                                 Philox random) = 0;
  /// The same as a plan on the game of that environment.
  virtual game::Plan plan(const game::SeenGame& game, size_t player) = 0;
  /// Of the checkpoint: steps, or iterations; 0 for uniform play.
  virtual uint64_t step() const { return 0; }
};

std::unique_ptr<Policy> uniform_policy();

/// What a checkpoint ("best", "last" or a step) of a run plays: its learners greedily, or, where it solves a game, the
/// mixture of PSRO, of which a strategy is drawn once for each episode, or the average strategy of CFR; of a league its
/// first main agent, greedily. Runs that go by iterations know no best checkpoint: their last one is taken. Changes
/// nothing on disk. Throws E0503 if there is no such checkpoint, E0501 or E0502 if it does not fit.
std::unique_ptr<Policy> policy_of_run(const train::Host& host, const config::Experiment& experiment,
                                      const run::RunDirectory& directory, const std::string& checkpoint);

}  // namespace spar::match
