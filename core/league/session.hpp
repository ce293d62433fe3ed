// Whole runs of a league: the counterparts of train/session.hpp, with the same results, files and observers. A step is
// one iteration.
//
// metrics.jsonl has a line for each iteration: elo/PLAYER and win_rate/PLAYER of the newest self of each active player,
// the latter against all past players; `players`, how many there are; on an exact game nash_conv and exploitability of
// the first main agent; env_steps of the run; PLAYER/env_steps, /train_steps and /episodes of its phase and what its
// learner measured. league.json (files.hpp) has the ratings and the payoff matrix.
#pragma once

#include <string>
#include <vector>

#include "core/config/experiment.hpp"
#include "core/game/plan.hpp"
#include "core/league/frozen.hpp"
#include "core/run/run_directory.hpp"
#include "core/train/observer.hpp"
#include "core/train/session.hpp"

namespace spar::league {

/// Puts everything together once. Throws Error.
train::Estimate rehearse(const train::Host& host, const config::Experiment& experiment);

/// Trains in `directory`, which is locked and new. Errors that end the run are in the result; what was saved stays.
train::SessionResult start(const train::Host& host, const config::Experiment& experiment,
                           const run::RunDirectory& directory, const std::vector<std::string>& arguments,
                           train::Observer& observer);

/// Continues the run in `directory`, which is locked, from its newest valid checkpoint, bit for bit. Throws E0507 as
/// train::resume(), E0508 if settings shall change.
train::SessionResult resume(const train::Host& host, const config::Experiment& experiment,
                            const run::RunDirectory& directory, const train::ResumeRequest& request,
                            train::Observer& observer);

/// What a run has come to, for play: the newest self of its first main agent.
struct MainAgent {
  std::unique_ptr<Arena> arena;
  std::unique_ptr<FrozenPolicy> policy;
  std::string name;  ///< "main_0/12"
  uint64_t iteration = 0;
};
/// Of the checkpoint `which`: "last" or an iteration. `experiment` outlives it. Changes nothing on disk. Throws E0503
/// if there is no such checkpoint.
MainAgent main_agent_of_run(const train::Host& host, const config::Experiment& experiment,
                            const run::RunDirectory& directory, const std::string& which);

}  // namespace spar::league
