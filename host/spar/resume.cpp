#include "core/league/session.hpp"
#include "core/run/run_list.hpp"
#include "core/solve/session.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/outcome.hpp"
#include "host/spar/runs.hpp"
#include "host/spar/signals.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {
namespace {

/// As a shell would read it again, each behind a space.
std::string typed(const std::vector<std::string>& settings) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:=/@+-";
  std::string out;
  for (const auto& setting : settings)
    out += setting.find_first_not_of(kPlain) == std::string::npos ? " " + setting : " '" + setting + "'";
  return out;
}

/// The recorded experiment with other settings. Another algorithm or scenario makes most of what is recorded unknown:
/// that is the error then, not what follows from it.
config::Experiment changed(const run::RunDirectory& directory, Engine& engine,
                           const std::vector<std::string>& settings) {
  try {
    return experiment_of(directory, engine, settings);
  } catch (const Error&) {
    for (const std::string key : {"algorithm.id", "scenario.id"})
      for (const auto& setting : settings)
        if (setting.starts_with(key + "="))
          throw Error("E0508", Exit::usage, "`" + key + "` of a run cannot be changed on its way")
              .help("start a new run with it: spar train");
    throw;
  }
}

/// What helps instead depends on what the run is.
[[noreturn]] void refuse_device(const run::RunDirectory& directory, const Arguments& arguments) {
  Engine engine(arguments);
  const bool solves = experiment_of(directory, engine).solves();
  throw Error("E0403", Exit::usage, "`--device` has no meaning here: a resumed run keeps its device")
      .help(solves ? "leave it out"
                   : "with other rounding: spar resume --inexact RUN algorithm.device=" + arguments.device);
}

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
  heed_signals();
  auto directory = run::RunDirectory::open(run_named(arguments, true));
  if (!arguments.device.empty()) refuse_device(directory, arguments);
  const auto settings = settings_in(arguments);
  if (settings.empty() && repeated(directory, arguments, terminal)) return 0;
  directory.lock();
  // Its process may have completed it before the lock was free.
  if (settings.empty() && repeated(directory, arguments, terminal)) return 0;
  Engine engine(arguments);
  const config::Experiment recorded = experiment_of(directory, engine);
  const config::Experiment experiment = settings.empty() ? recorded : changed(directory, engine, settings);

  RunLog log(directory.path() / "log.jsonl");
  const PluginLog plugin_log(log, arguments.verbose);
  const auto profile = profile_of(arguments, experiment);
  Watcher watcher(watch_options(directory, experiment, arguments), terminal, log);
  try {
    if (const auto warning = threads_warning(arguments); !warning.empty()) watcher.warned(warning);
    train::Host host = engine.host();
    host.profile = profile.get();
    const train::ResumeRequest request = {arguments.has("inexact"), settings.empty() ? nullptr : &recorded,
                                          typed(settings)};
    const auto continued = experiment.is_league() ? league::resume
                           : experiment.solves()  ? solve::resume
                                                  : train::resume;
    const auto result = continued(host, experiment, directory, request, watcher);
    return conclude(result, experiment, watcher, log, profile.get(), arguments, terminal);
  } catch (...) {
    watcher.finish();
    throw;
  }
}

}  // namespace spar::host
