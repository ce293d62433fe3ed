// What a run leaves on standard output when it ends, and the exit code that follows from it.
#pragma once

#include <memory>
#include <string>

#include "core/base/profile.hpp"
#include "core/train/session.hpp"
#include "host/spar/arguments.hpp"
#include "host/spar/run_log.hpp"
#include "host/spar/terminal.hpp"
#include "host/spar/watcher.hpp"

namespace spar::host {

/// How the run in `directory` is watched.
WatcherOptions watch_options(const run::RunDirectory& directory, const config::Experiment& experiment,
                             const Arguments& arguments);

/// A few lines for a person.
std::string summary_text(const run::Summary& summary, const Terminal& terminal);

/// The summary, as lines or as the last JSON line.
void print_summary(const run::Summary& summary, const Arguments& arguments, const Terminal& terminal);

/// What `--profile` asks for; null without it.
std::unique_ptr<Profile> profile_of(const Arguments& arguments, const config::Experiment& experiment);

/// Prints the thresholds that were not met, the summary, the profile if there is one, how to resume, and last the first
/// cause of a failure; returns the exit code.
int conclude(const train::SessionResult& result, const config::Experiment& experiment, Watcher& watcher, RunLog& log,
             const Profile* profile, const Arguments& arguments, const Terminal& terminal);

}  // namespace spar::host
