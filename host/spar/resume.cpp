#include "core/run/run_list.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/outcome.hpp"
#include "host/spar/runs.hpp"
#include "host/spar/signals.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {

int run_resume(const Arguments& arguments, const Terminal& terminal) {
  if (arguments.seed)
    throw Error("E0403", Exit::usage, "`--seed` has no meaning here: a resumed run keeps its seed")
        .help("to train with another seed, start a new run: spar train");
  heed_signals();
  auto directory = run::RunDirectory::open(run_named(arguments));
  if (const auto summary = directory.summary(); summary && summary->status == "completed") {
    run::Summary here = *summary;
    here.run = directory.path().string();  // it may have been moved
    print_summary(here, arguments, terminal);
    return 0;
  }
  directory.lock();
  Engine engine(arguments);
  const config::Experiment experiment = experiment_of(directory, engine);

  RunLog log(directory.path() / "log.jsonl");
  const PluginLog plugin_log(log, arguments.verbose);
  WatcherOptions options{arguments.quiet,
                         arguments.verbose,
                         arguments.json,
                         directory.id(),
                         directory.path().string(),
                         experiment.seed,
                         {}};
  options.check_resources = [&](uint64_t memory, uint64_t disk) {
    return check_resources(memory, disk, directory.path().string());
  };
  Watcher watcher(std::move(options), terminal, log);
  try {
    const auto result = train::resume(engine.host(), experiment, directory, arguments.has("inexact"), watcher);
    return conclude(result, experiment, watcher, log, arguments, terminal);
  } catch (...) {
    watcher.finish();
    throw;
  }
}

}  // namespace spar::host
