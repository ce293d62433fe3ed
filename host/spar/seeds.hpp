// Several seeds of one experiment: a process and a run of its own for each, some of them at a time.
#pragma once

#include "core/config/experiment.hpp"
#include "host/spar/arguments.hpp"
#include "host/spar/terminal.hpp"

namespace spar::host {

/// `--seeds N`, or 0. Throws E0403 for a number outside of 1 to 1000, and for `--jobs` without `--seeds`.
uint64_t seeds_wished(const Arguments& arguments);

/// How many runs train at the same time: `--jobs`, else as many as the processors hold, each with `--threads`.
uint64_t jobs_of(const Arguments& arguments, uint64_t seeds);

/// Trains the seeds from that of the experiment on, prints a line for each and what they have reached together. Every
/// run can be resumed on its own. Returns 0, or the exit code of the first seed that ended otherwise, or 130 or 75 if
/// seeds were not begun because of a signal. Signals are passed on. Throws E0410 if no process can be started.
int train_seeds(const config::Experiment& experiment, uint64_t seeds, const Arguments& arguments,
                const Terminal& terminal);

}  // namespace spar::host
