#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/text.hpp"
#include "core/config/presets.hpp"
#include "core/league/session.hpp"
#include "core/solve/session.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/outcome.hpp"
#include "host/spar/output.hpp"
#include "host/spar/seeds.hpp"
#include "host/spar/signals.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

int list_presets(const Arguments& arguments) {
  const std::string directory = preset_directory();
  const auto presets = config::list_presets(directory);
  if (presets.empty())
    throw Error("E0207", Exit::usage, "there are no presets in `" + directory + "`")
        .help("name a file: spar train my.toml; SPAR_PRESETS is the directory of presets");
  if (!arguments.json) print("presets:\n");
  for (const auto& preset : presets) {
    if (arguments.json)
      print_json({{"event", "preset"}, {"name", preset.name}, {"title", preset.title}, {"path", preset.path}});
    else
      print("  " + padded(preset.name, 28) + preset.title + "\n");
  }
  if (!arguments.json) print("start one with: spar train " + presets.front().name + "\n");
  return 0;
}

/// The experiment as it was given; what the command line added is in comments.
std::string experiment_text(const config::Sources& sources) {
  std::string file = sources.experiment, out;
  if (!file.empty() && !file.ends_with(".toml") && file.find('/') == std::string::npos)
    file = config::find_preset(sources.preset_directory, file).path;
  if (!file.empty()) {
    std::ifstream in(file, std::ios::binary);
    out.assign(std::istreambuf_iterator<char>(in), {});
    if (!out.empty() && out.back() != '\n') out += '\n';
  }
  for (const auto& assignment : sources.assignments) out += "# command line: " + printable(assignment) + "\n";
  if (sources.seed) out += "# command line: --seed " + std::to_string(*sources.seed) + "\n";
  return out;
}

}  // namespace

int run_train(const Arguments& arguments, const Terminal& terminal) {
  if (arguments.positional.empty()) return list_presets(arguments);
  if (arguments.dry_run) return run_check(arguments, terminal);
  const uint64_t seeds = seeds_wished(arguments);
  heed_signals();
  const config::Sources sources = sources_of(arguments);
  Engine engine(arguments);
  const config::Experiment experiment = config::load(sources, train::lookup_in(engine.registry()));
  if (seeds > 0 && !experiment.learns())
    throw Error("E0403", Exit::usage, "`--seeds` has no meaning here: chance has no part in solving a game")
        .help("leave it out");
  if (seeds > 0) return train_seeds(experiment, seeds, arguments, terminal);
  const auto profile = profile_of(arguments, experiment);
  const auto directory = run::RunDirectory::begin("runs", experiment.name);
  directory.write_text("experiment.toml", experiment_text(sources));

  RunLog log(directory.path() / "log.jsonl");
  const PluginLog plugin_log(log, arguments.verbose);
  Watcher watcher(watch_options(directory, experiment, arguments), terminal, log);
  try {
    std::vector<std::string> typed = {"spar"};
    typed.insert(typed.end(), arguments.all.begin(), arguments.all.end());
    for (const auto& warning : experiment.warnings) watcher.warned(warning);
    if (const auto warning = threads_warning(arguments); !warning.empty()) watcher.warned(warning);
    train::Host host = engine.host();
    host.profile = profile.get();
    const auto begun = experiment.is_league() ? league::start : experiment.solves() ? solve::start : train::train;
    const auto result = begun(host, experiment, directory, typed, watcher);
    return conclude(result, experiment, watcher, log, profile.get(), arguments, terminal);
  } catch (...) {
    // A run that never began leaves nothing to look at or to resume.
    std::error_code ignored;
    if (!watcher.entered()) std::filesystem::remove_all(directory.path(), ignored);
    watcher.finish();
    throw;
  }
}

}  // namespace spar::host
