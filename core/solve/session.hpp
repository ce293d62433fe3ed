// Whole runs that solve a game: the counterparts of train/session.hpp, with the same results, files and observers. A
// step is one iteration of the solver.
//
// metrics.jsonl has one line for each iteration up to 1,000, beyond that for every 10th, up to 10,000, and so on:
// nash_conv, exploitability, value/PLAYER, and for PSRO population/PLAYER. strategy.json has what the mixtures or
// averages play, empirical_game.json the payoffs and mixtures of PSRO.
#pragma once

#include <string>
#include <vector>

#include "core/config/experiment.hpp"
#include "core/run/run_directory.hpp"
#include "core/train/observer.hpp"
#include "core/train/session.hpp"

namespace spar::solve {

/// Compiles the game: finds every problem that shows before the first iteration. Throws Error.
train::Estimate rehearse(const train::Host& host, const config::Experiment& experiment);

/// Solves in `directory`, which is locked and new. Errors that end the run are in the result; what was saved stays.
train::SessionResult start(const train::Host& host, const config::Experiment& experiment,
                           const run::RunDirectory& directory, const std::vector<std::string>& arguments,
                           train::Observer& observer);

/// Continues the run in `directory`, which is locked, from its newest valid checkpoint, bit for bit. Throws E0507 as
/// train::resume(), E0508 if settings shall change.
train::SessionResult resume(const train::Host& host, const config::Experiment& experiment,
                            const run::RunDirectory& directory, const train::ResumeRequest& request,
                            train::Observer& observer);

/// Does a metrics line belong to this iteration?
bool is_logged(uint64_t iteration);

}  // namespace spar::solve
