// Everything that makes up one seed's run, put together: the environment, its learners, the strategy, and the counts.
// The loop (training_loop.cpp) sets it in motion; a checkpoint is all of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/crew.hpp"
#include "core/checkpoint/container.hpp"
#include "core/checkpoint/counters.hpp"
#include "core/config/experiment.hpp"
#include "core/game/views.hpp"
#include "core/params/store.hpp"
#include "core/rollout/central.hpp"
#include "core/rollout/environment.hpp"
#include "core/rollout/joined.hpp"
#include "core/rollout/learner.hpp"
#include "core/rollout/worker.hpp"
#include "core/train/budget.hpp"
#include "core/train/decoupled.hpp"
#include "core/train/metrics.hpp"
#include "core/train/strategy.hpp"

namespace spar::train {

using rollout::ComponentLoader;

/// Copies of the environment that one evaluation steps together.
inline constexpr uint64_t kEvaluationCopies = 32;

class Training {
 public:
  /// References outlive the training. `threads`: how many may work at the same time, parallel actors or parts
  /// of a large product; it changes no number. Throws Error with the configuration's or the plugin's exit code.
  Training(const config::Experiment& experiment, const ComponentLoader& load, const spar_host& host,
           uint32_t threads = 1);

  /// The phases of the loop are timed from now on; nullptr: no longer. The profile outlives the training.
  void time(Profile* with);

  /// Begins at step 0. A checkpoint taken before the first step continues to the same result.
  void start();
  /// Continues where `saved` was taken. Throws E0501 or E0502 if it does not fit this experiment.
  void restore(const checkpoint::Checkpoint& saved);
  /// Takes only what acting needs: for evaluations. Same errors.
  void restore_policies(const checkpoint::Checkpoint& saved);
  /// A copy of everything, between two steps; `pending`: transitions that the strategy has asked for and not got yet.
  checkpoint::Checkpoint snapshot(std::string manifest) const;

  rollout::Learner& learner(size_t group) const { return *learners[learner_of[group]]; }
  /// What gradient workers recorded joins the metrics of the run; only while none of them learns.
  void gather_metrics();
  /// SHA-256 of every learner's parameters, in their order.
  std::string parameters_sha256() const;
  /// What the run will have in use at most, beside the program itself: environments, learners with their memories, and
  /// one copy of the state on its way to the disk.
  uint64_t memory_bytes() const;
  /// One checkpoint, at most.
  uint64_t checkpoint_bytes() const;
  /// Ids of the network backends in use, sorted.
  std::vector<std::string> backends() const;
  /// Can this run be resumed exactly? Else a sentence that says why not.
  std::string why_not_resumable() const;
  /// Why evaluations know no distance from equilibrium though the game is small enough; else empty.
  std::string why_not_judged;

  const config::Experiment& experiment;
  Budget budget;
  Metrics metrics;
  params::Store params;
  Crew crew;                         ///< the threads of this run
  std::unique_ptr<Permits> permits;  ///< where there are more threads than may work at the same time; else null
  std::vector<std::unique_ptr<Metrics>> worker_metrics;  ///< of all gradient workers, by learner
  Profile* profile = nullptr;
  std::unique_ptr<rollout::Environment> environment, evaluation_environment;
  /// By group: null for one agent.
  std::vector<std::unique_ptr<rollout::Joined>> joined, evaluation_joined;
  /// By group: the team that begins with it; null: it begins none with central critics.
  std::vector<std::unique_ptr<rollout::Central>> teams;
  std::unique_ptr<game::SeenGame> game;                     ///< null: evaluations know no distance from equilibrium
  std::vector<std::unique_ptr<rollout::Learner>> learners;  ///< in the order of their first agents
  std::vector<size_t> learner_of;                           ///< by group: which of them
  std::unique_ptr<Strategy> strategy;
  std::unique_ptr<rollout::Worker> worker;
  std::unique_ptr<Decoupled> decoupled;  ///< null: learning happens where the loop says so

  checkpoint::Counters counters;
  std::vector<uint64_t> learn_steps;  ///< by group
  std::vector<double> evaluations;    ///< mean returns so far
  uint64_t evaluated_at = 0;          ///< step of the last evaluation
  std::vector<double> last_returns;   ///< of its episodes
  std::optional<double> nash_conv;    ///< of its greedy play
  std::optional<double> best_nash_conv;
  bool save_first = false;  ///< save before the next step, whatever [checkpoint] says
  uint64_t pending = 0;     ///< transitions still to be collected before the strategy is asked again
  uint64_t wish = 0;        ///< how many it asked for the last time
};

/// Who plays each agent in an evaluation.
std::vector<rollout::Participant> examinees(const Training& training);
/// The learner of each agent.
std::vector<rollout::Learner*> learners_by_agent(const Training& training);

}  // namespace spar::train
