#include "core/run/run_list.hpp"
#include "core/solve/session.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/outcome.hpp"
#include "host/spar/runs.hpp"
#include "host/spar/signals.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {
namespace {

/// Prints the summary of a completed run; false if the run is not complete.
bool repeated(const run::RunDirectory& directory, const Arguments& arguments, const Terminal& terminal) {
  auto summary = directory.summary();
  if (!summary || summary->status != "completed") return false;
  summary->run = directory.path().string();  // it may have been moved
  print_summary(*summary, arguments, terminal);
  return true;
}

}  // namespace

int run_resume(const Arguments& arguments, const Terminal& terminal) {
  if (arguments.seed)
    throw Error("E0403", Exit::usage, "`--seed` has no meaning here: a resumed run keeps its seed")
        .help("to train with another seed, start a new run: spar train");
  if (!arguments.device.empty())
    throw Error("E0403", Exit::usage, "`--device` has no meaning here: a resumed run keeps its device")
        .help("to train on another device, start a new run: spar train");
  heed_signals();
  auto directory = run::RunDirectory::open(run_named(arguments));
  if (repeated(directory, arguments, terminal)) return 0;
  directory.lock();
  // Its process may have completed it before the lock was free.
  if (repeated(directory, arguments, terminal)) return 0;
  Engine engine(arguments);
  const config::Experiment experiment = experiment_of(directory, engine);

  RunLog log(directory.path() / "log.jsonl");
  const PluginLog plugin_log(log, arguments.verbose);
  Watcher watcher(watch_options(directory, experiment, arguments), terminal, log);
  try {
    const auto continued = experiment.solves() ? solve::resume : train::resume;
    const auto result = continued(engine.host(), experiment, directory, arguments.has("inexact"), watcher);
    return conclude(result, experiment, watcher, log, arguments, terminal);
  } catch (...) {
    watcher.finish();
    throw;
  }
}

}  // namespace spar::host
