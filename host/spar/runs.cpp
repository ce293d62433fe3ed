#include "host/spar/runs.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/run/run_list.hpp"
#include "host/spar/outcome.hpp"
#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

constexpr const char* kRuns = "runs";

boost::json::object to_json(const run::RunInfo& info) {
  return {{"event", "run"},
          {"run", info.path.string()},
          {"id", info.id},
          {"name", info.name},
          {"created", info.created},
          {"status", info.status},
          {"env_steps", info.env_steps},
          {"best_return", info.best_return ? boost::json::value(*info.best_return) : boost::json::value()}};
}

int list_runs(const Arguments& arguments) {
  const auto runs = run::list(kRuns);
  if (arguments.json) {
    for (const auto& info : runs) print_json(to_json(info));
    return 0;
  }
  if (runs.empty()) {
    print("no runs yet in `runs`: start one with `spar train`\n");
    return 0;
  }
  size_t width = 4;
  for (const auto& info : runs) width = std::max(width, info.id.size());
  print(padded("run", width + 2) + padded("status", 13) + padded("steps", 12) + padded("best", 10) + "created\n");
  for (const auto& info : runs)
    print(padded(info.id, width + 2) + padded(info.status, 13) + padded(grouped(info.env_steps), 12) +
          padded(info.best_return ? brief(*info.best_return) : "-", 10) + info.created.substr(0, 19) + "\n");
  return 0;
}

int show_run(const std::string& spec, const Arguments& arguments, const Terminal& terminal) {
  const auto directory = run::RunDirectory::open(run::resolve(spec, kRuns));
  if (auto summary = directory.summary()) {
    summary->run = directory.path().string();
    print_summary(*summary, arguments, terminal);
    return 0;
  }
  const auto siblings = run::list(directory.path().has_parent_path() ? directory.path().parent_path() : ".");
  const auto info = std::ranges::find(siblings, directory.id(), &run::RunInfo::id);
  if (info == siblings.end()) return 0;
  if (arguments.json) {
    print_json(to_json(*info));
    return 0;
  }
  const bool iterates = !info->scenario.empty() && info->scenario != "marl";
  print("run         " + info->path.string() + "\nstatus      " + info->status + "\n" +
        padded(iterates ? "iterations" : "steps", 12) + grouped(info->env_steps) + "\n");
  if (info->best_return) print("best        " + brief(*info->best_return) + "\n");
  if (info->status == "interrupted") print("continue with: spar resume " + info->path.string() + "\n");
  return 0;
}

}  // namespace

std::vector<std::string> settings_in(const Arguments& arguments) {
  std::vector<std::string> out;
  for (const auto& word : arguments.positional)
    if (word.find('=') != std::string::npos) out.push_back(word);
  return out;
}

std::filesystem::path run_named(const Arguments& arguments, bool with_settings) {
  std::vector<std::string> words = arguments.positional;
  if (with_settings) std::erase_if(words, [](const std::string& word) { return word.find('=') != std::string::npos; });
  if (words.size() == 1) return run::resolve(words[0], kRuns);
  throw Error("E0403", Exit::usage,
              "`spar " + std::string(arguments.verb->name) + "` wants one run, found " + std::to_string(words.size()))
      .help("e.g. spar " + std::string(arguments.verb->name) + " @last; `spar runs` lists the runs");
}

config::Experiment experiment_of(const run::RunDirectory& directory, Engine& engine,
                                 const std::vector<std::string>& settings) {
  const std::filesystem::path file = directory.path() / "resolved.toml";
  if (!std::filesystem::exists(file))
    throw Error("E0606", Exit::failed, "the run `" + directory.path().string() + "` has no resolved.toml")
        .help("it was killed before it began, or the file was deleted: start a new run");
  config::Sources sources;
  sources.experiment = file.string();
  sources.preset_directory = preset_directory();
  sources.assignments = settings;
  return config::load(sources, train::lookup_in(engine.registry()));
}

std::string checkpoint_wished(const Arguments& arguments, const std::string& fallback) {
  const std::string which = arguments.get("checkpoint", fallback);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool step = !which.empty() && which.size() < 19 && std::ranges::all_of(which, digit);
  if (which == "best" || which == "last" || step) return which;
  throw Error("E0403", Exit::usage, "`--checkpoint` must be best, last or a step, found `" + printable(which) + "`")
      .help("e.g. --checkpoint last");
}

void choose_device(config::Experiment& experiment, const std::string& device) {
  if (device.empty()) return;
  const auto choose = [&](config::Options& options) {
    for (size_t i = 0; i < options.values.size(); ++i)
      if (options.component->params[i].name == "device") options.values[i].data = device;
  };
  choose(experiment.algorithm.options);
  for (auto& group : experiment.groups)
    if (group.algorithm) choose(group.algorithm->options);
}

int run_runs(const Arguments& arguments, const Terminal& terminal) {
  const auto& words = arguments.positional;
  if (words.empty() || (words[0] == "ls" && words.size() == 1)) return list_runs(arguments);
  if (words[0] == "show" && words.size() == 2) return show_run(words[1], arguments, terminal);
  if (words[0] == "rm")
    throw Error("E0404", Exit::usage, "`spar runs rm` is not offered yet")
        .help("a run is a directory: delete it with rm -r");
  throw Error("E0401", Exit::usage, "`spar runs` does not know `" + printable(words[0]) + "` like this")
      .help("write: spar runs, or spar runs show RUN");
}

}  // namespace spar::host
