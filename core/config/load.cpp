#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.hpp"
#include "core/config/experiment.hpp"
#include "core/config/groups.hpp"
#include "core/config/layers.hpp"
#include "core/config/league.hpp"
#include "core/config/measures.hpp"

namespace spar::config {
namespace {

constexpr int64_t kMaxCount = 1 << 20;

/// Letters, digits and ._- : the name becomes a directory's.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 100 && text[0] != '.' && text[0] != '-' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                  c == '-';
         });
}

std::string as_name(std::string text) {
  for (char& c : text)
    if (!is_name(std::string("x") + c)) c = '-';
  text.erase(0, std::min(text.find_first_not_of(".-"), text.size()));
  return text.substr(0, 100);
}

/// The component that `section` chooses by its id and all its options.
ComponentConfig read_component(Section& section, uint32_t kind, const std::string& fallback,
                               std::span<const std::string> reserved, const ComponentLookup& lookup,
                               std::vector<std::string>& warnings) {
  ComponentConfig out;
  const Entry* entry = section.find("id");
  const std::string* id = entry ? std::get_if<std::string>(&entry->value.data) : &fallback;
  if (!id) {
    section.wrong_type(*entry, "a text");
    return out;
  }
  if (id->empty()) {
    section.missing("id", "the " + kind_name(kind) + " has to be chosen", "see: spar plugin list");
    return out;
  }
  try {
    const auto component = lookup(kind, *id, entry ? entry->value.place : section.place());
    out.id = component->id;
    out.options = read_options(component, section, reserved, warnings);
  } catch (const Error& error) {
    section.problems().add(error);
  }
  return out;
}

EnvConfig read_env(Section section, const ComponentLookup& lookup, std::vector<std::string>& warnings) {
  static const std::array<std::string, 4> kReserved = {"id", "count", "shards", "wrap"};
  EnvConfig out;
  static_cast<ComponentConfig&>(out) = read_component(section, SPAR_KIND_ENV, "", kReserved, lookup, warnings);
  if (const auto count = section.integer("count", 1)) {
    if (*count > kMaxCount) section.out_of_range(*section.find("count"), "<= " + std::to_string(kMaxCount));
    out.count = static_cast<uint32_t>(std::min(*count, kMaxCount));
  }
  if (const auto shards = section.integer("shards", 1)) {
    if (*shards > out.count)
      section.out_of_range(*section.find("shards"), "<= `count`, here " + std::to_string(out.count));
    out.shards = static_cast<uint32_t>(std::min<int64_t>(*shards, out.count));
  }
  if (const Array* wrap = section.list("wrap", "wrappers, e.g. [ { normalize = \"obs\" } ]"); wrap && !wrap->empty())
    section.add("E0208", "environment wrappers are not offered yet", section.find("wrap")->place,
                "leave `wrap` out; the algorithms' own transforms scale and normalise");
  return out;
}

AlgorithmConfig read_algorithm(Section section, const ComponentLookup& lookup, std::vector<std::string>& warnings) {
  static const std::array<std::string, 2> kReserved = {"id", "preset"};
  AlgorithmConfig out;
  static_cast<ComponentConfig&>(out) = read_component(section, SPAR_KIND_ALGO, "", kReserved, lookup, warnings);
  out.preset = section.text("preset").value_or("");
  return out;
}

bool iterates(const std::string& meta_solver) {
  return meta_solver == "regret_matching_plus" || meta_solver == "fictitious_play" || meta_solver == "replicator";
}

void read_scenario(Section& root, Problems& problems, Experiment& out) {
  static constexpr std::string_view kKnown[] = {"marl", "psro", "cfr", "cfr_plus", "league"};
  const size_t before = problems.size();
  Section section = root.table("scenario");
  out.scenario = read_choice(section, "id", "marl", kKnown, "scenario");
  // What the other sections may hold depends on it: judged by another scenario they would give misleading errors.
  if (problems.size() > before) problems.throw_if_any();
  if (out.is_league()) out.league = read_league(section);
  if (out.scenario == "psro") {
    out.solve.oracle = read_choice(section, "oracle", out.solve.oracle, kOracles, "oracle");
    if (problems.size() > before) problems.throw_if_any();
    out.solve.meta_solver = read_choice(section, "meta_solver", out.solve.meta_solver, kMetaSolvers, "meta-solver");
    if (const auto iterations = section.integer("meta_iterations", 1))
      out.solve.meta_iterations = static_cast<uint64_t>(*iterations);
    if (out.solve.meta_iterations > 0 && !iterates(out.solve.meta_solver))
      out.warnings.push_back("`meta_iterations` changes nothing: the meta-solver `" + out.solve.meta_solver +
                             "` does not iterate");
  }
  section.refuse_unknown();
}

/// What is solved by iterations is judged by its distance from equilibrium, not by the returns of evaluations; exact
/// solving has neither agents that learn from samples nor copies of the environment.
void refuse_training(Section& root, const Experiment& experiment) {
  const std::string learning =
      experiment.scenario == "psro" ? ", or say oracle = \"learned\" in [scenario]" : std::string();
  for (const std::string_view key : {"algorithm", "strategy", "group", "mapping", "eval", "threshold"}) {
    const bool about_learning = key != "eval" && key != "threshold";
    const bool about_groups = key == "group" || key == "mapping";
    const Entry* entry = about_learning && experiment.learns() && !(about_groups && experiment.is_league())
                             ? nullptr
                             : root.find(std::string(key));
    if (!entry) continue;
    std::string help = "its runs are judged by " +
                       std::string(experiment.is_league() ? "Elo ratings" : "exploitability") +
                       ": leave the section out";
    if (about_groups) help = "every player of a league is one policy for both seats: leave it out";
    if (!experiment.learns())
      help = "the game is solved exactly: leave the section" + std::string(key == "algorithm" ? " and --device" : "") +
             " out" + (about_learning ? learning : "");
    const std::string what = key == "mapping" ? "`mapping`"
                             : key == "group" ? "[[group]]"
                                              : "[" + std::string(key) + "]";
    root.add("E0211", what + " has no meaning in the scenario `" + experiment.scenario + "`", entry->place, help);
  }
  const Table* env = root.find("env") ? root.find("env")->value.table() : nullptr;
  for (const char* key : {"count", "shards"}) {
    if ((key == std::string_view("count") ? experiment.env.count : experiment.env.shards) == 1 || experiment.learns())
      continue;
    root.add("E0211",
             "`" + std::string(key) + "` in [env] has no meaning in the scenario `" + experiment.scenario + "`",
             env->find(key)->place, "the game is solved exactly: leave it out" + learning);
  }
}

void refuse_later_features(Section& root) {
  if (const Entry* entry = root.find("seeds"))
    root.add("E0208", "several seeds in one run (`seeds`) are not offered yet", entry->place,
             "each seed has a run of its own: spar train FILE --seeds N");
}

/// Who learns, and with what.
void read_learners(Section& root, const ComponentLookup& lookup, Experiment& out) {
  const auto algorithm = [&](Section section) { return read_algorithm(std::move(section), lookup, out.warnings); };
  out.groups = read_groups(root, algorithm);
  out.mapping = read_choice(root, "mapping", out.mapping, kMappings, "mapping rule");
  if (!out.groups.empty() && out.mapping != "identity")
    root.add("E0211", "`mapping` and [[group]] both say which agents belong together", root.find("mapping")->place,
             "leave one of them out");
  const bool all_own = !out.groups.empty() && std::ranges::all_of(out.groups, [](const GroupConfig& group) {
    return group.algorithm.has_value();
  });
  if (!all_own || root.find("algorithm")) out.algorithm = algorithm(root.table("algorithm"));
  if (all_own && root.find("algorithm"))
    out.warnings.push_back("[algorithm] trains nobody: every group has an algorithm of its own");
  Section strategy = root.table("strategy");
  static const std::array<std::string, 1> kReserved = {"id"};
  out.strategy = read_component(strategy, SPAR_KIND_STRATEGY, "independent", kReserved, lookup, out.warnings);
}

/// "dqn", or of groups with several algorithms "ddpg-sac".
std::string algorithm_names(const Experiment& experiment) {
  std::vector<std::string> names;
  std::string out;
  for (const auto& [group, algorithm] : experiment.algorithms()) {
    const std::string name = short_id(algorithm->id);
    if (std::ranges::find(names, name) != names.end()) continue;
    out += (out.empty() ? "" : "-") + name;
    names.push_back(name);
  }
  return out;
}

std::string read_name(Section& root, const Layers& layers, const Experiment& experiment) {
  if (const auto name = root.text("name")) {
    if (!is_name(*name))
      root.out_of_range(*root.find("name"), "made of letters, digits and ._- and start with a letter, a digit or _");
    return *name;
  }
  std::string derived = as_name(layers.stem);
  if (derived.empty())
    derived = as_name(short_id(experiment.env.id) + "-" +
                      (experiment.solves() ? experiment.scenario : algorithm_names(experiment)));
  return derived.empty() ? "experiment" : derived;
}

Experiment read_experiment(const Layers& layers, Problems& problems, const ComponentLookup& lookup) {
  Experiment out;
  Place whole;
  whole.file = layers.file.empty() ? "command line" : layers.file;
  Section root(&layers.root, "", whole, problems, out.origins);
  out.seed = static_cast<uint64_t>(root.integer("seed", 0).value_or(1));
  out.env = read_env(root.table("env"), lookup, out.warnings);
  read_scenario(root, problems, out);
  if (out.solves()) refuse_training(root, out);
  if (out.learns()) read_learners(root, lookup, out);
  out.stop = read_stop(root.table("stop"), out.solves(), out.learns_in_phases() ? &out.solve.training : nullptr,
                       out.is_league());
  if (!out.solves()) {
    out.eval = read_eval(root.table("eval"), out.stop.budget());
    out.thresholds = read_thresholds(root.table("threshold"));
  }
  out.checkpoint = read_checkpoint(root.table("checkpoint"), out.solves() ? "iteration" : "environment step");
  out.name = read_name(root, layers, out);
  refuse_later_features(root);
  root.refuse_unknown();
  problems.throw_if_any();

  if (out.learns() && !(out.learns_in_phases() ? out.solve.training : out.stop).budget())
    out.warnings.push_back("[" + std::string(out.learns_in_phases() ? "stop.training" : "stop") +
                           "] has no `env_steps`: schedules that are a fraction of the budget have nothing to go by");
  else if (out.is_league() && !out.stop.iterations())
    out.warnings.push_back(
        "[stop] has no `iterations`: schedules of main agents, which would span the run, end with the first phase");
  return out;
}

}  // namespace

Experiment load(const Sources& sources, const ComponentLookup& lookup) {
  Problems problems;
  Layers layers = read_layers(sources, problems);
  for (Table* algorithm : algorithm_tables(layers.root))
    apply_algorithm_preset(*algorithm, sources.preset_directory, lookup, problems);
  return read_experiment(layers, problems, lookup);
}

Experiment load(Table root, const std::string& name, const ComponentLookup& lookup) {
  Problems problems;
  return read_experiment({std::move(root), name, name}, problems, lookup);
}

}  // namespace spar::config
