// The way back: from an experiment to TOML.
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/config/convert.hpp"
#include "core/config/experiment.hpp"

namespace spar::config {
namespace {

class Writer {
 public:
  Writer(const Origins& origins, bool comments) : origins_(origins), comments_(comments) {}

  void section(const std::string& name) { section(name, "[" + name + "]"); }
  /// `path`: of its settings; `header`: as TOML has it.
  void section(const std::string& path, const std::string& header) {
    section_ = path;
    out_ += "\n" + header + "\n";
  }

  void put(const std::string& key, const std::string& value) {
    out_ += toml_key(key) + " = " + value;
    if (comments_) {
      const auto origin = origins_.find(section_.empty() ? key : section_ + "." + key);
      out_ += "  # " + (origin == origins_.end() ? "default" : printable(origin->second.text()));
    }
    out_ += "\n";
  }
  void put(const std::string& key, uint64_t value) { put(key, std::to_string(value)); }

  void comment(const std::string& text) {
    if (comments_) out_ += "# " + text + "\n";
  }

  void component(const ComponentConfig& config) {
    put("id", toml_text(std::string_view(config.id)));
    for (size_t i = 0; i < config.options.values.size(); ++i) {
      const auto& option = config.options.values[i];
      const std::string& name = config.options.component->params[i].name;
      if (option.type == SPAR_T_NONE)
        comment(name + " is left out  (default)");
      else
        put(name, toml_text(to_value(option)));
    }
  }

  void algorithm(const AlgorithmConfig& config) {
    if (!config.preset.empty()) comment("the options of preset `" + printable(config.preset) + "` are among these");
    component(config);
  }

  std::string take() { return std::move(out_); }

 private:
  const Origins& origins_;
  bool comments_;
  std::string section_, out_;
};

std::string conditions(const std::vector<Condition>& list) {
  Array items;
  for (const auto& condition : list) {
    Table table;
    Value value;
    const bool whole = condition.measure != Condition::Measure::eval_return &&
                       condition.measure != Condition::Measure::seconds &&
                       condition.measure != Condition::Measure::exploitability;
    if (whole)
      value.data = static_cast<int64_t>(condition.value);
    else
      value.data = condition.value;
    table.entries.push_back({name(condition.measure), {}, value});
    if (condition.consecutive > 1) table.entries.push_back({"for", {}, {int64_t{condition.consecutive}, {}, {}}});
    items.push_back({std::move(table), {}, {}});
  }
  return toml_text(Value{std::move(items), {}, {}});
}

std::string duration(double seconds) {
  std::string number = toml_text(seconds);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return "\"" + number + "s\"";
}

void write_group(Writer& out, const GroupConfig& group) {
  const std::string path = "group." + group.name;
  out.section(path, "[[group]]");
  out.put("name", toml_text(std::string_view(group.name)));
  Array agents;
  for (const auto& pattern : group.agents) agents.push_back({pattern.text, {}, {}});
  out.put("agents", toml_text(Value{std::move(agents), {}, {}}));
  if (!group.algorithm) return;
  out.section(path + ".algorithm", "[group.algorithm]");
  out.algorithm(*group.algorithm);
}

void write_league(const LeagueConfig& league, Writer& out) {
  out.put("main_agents", league.main_agents);
  out.put("main_exploiters", league.main_exploiters);
  out.put("league_exploiters", league.league_exploiters);
  out.put("pfsp", toml_text(std::string_view(league.pfsp)));
  out.put("pfsp_power", toml_text(league.pfsp_power));
  out.put("self_play", toml_text(league.self_play));
  out.put("verification", toml_text(league.verification));
  out.put("snapshot_win_rate", toml_text(league.snapshot_win_rate));
  out.put("main_exploiter_reset", toml_text(league.main_exploiter_reset));
  out.put("league_exploiter_reset", toml_text(league.league_exploiter_reset));
  out.put("play", toml_text(std::string_view(league.play)));
  out.put("match_episodes", league.match_episodes);
}

std::string write(const Experiment& experiment, bool comments, bool with_name) {
  Writer out(experiment.origins, comments);
  out.comment("Every value of this experiment and where it comes from. Loading this file gives the same experiment.");
  if (with_name) out.put("name", toml_text(std::string_view(experiment.name)));
  out.put("seed", experiment.seed);
  if (experiment.mapping != "identity") out.put("mapping", toml_text(std::string_view(experiment.mapping)));
  out.section("env");
  out.component(experiment.env);
  if (experiment.learns()) {
    out.put("count", experiment.env.count);
    out.put("shards", experiment.env.shards);
    if (!experiment.algorithm.id.empty()) {
      out.section("algorithm");
      out.algorithm(experiment.algorithm);
    }
    out.section("strategy");
    out.component(experiment.strategy);
    for (const auto& group : experiment.groups) write_group(out, group);
  }
  out.section("scenario");
  out.put("id", toml_text(std::string_view(experiment.scenario)));
  if (experiment.scenario == "psro") {
    out.put("oracle", toml_text(std::string_view(experiment.solve.oracle)));
    out.put("meta_solver", toml_text(std::string_view(experiment.solve.meta_solver)));
    if (experiment.solve.meta_iterations > 0) out.put("meta_iterations", experiment.solve.meta_iterations);
  }
  if (experiment.is_league()) write_league(experiment.league, out);
  out.section("stop");
  if (!experiment.stop.any.empty()) out.put("any", conditions(experiment.stop.any));
  if (!experiment.stop.all.empty()) out.put("all", conditions(experiment.stop.all));
  if (experiment.learns_in_phases()) {
    out.section("stop.training");
    const StopConfig& training = experiment.solve.training;
    if (!training.any.empty()) out.put("any", conditions(training.any));
    if (!training.all.empty()) out.put("all", conditions(training.all));
  }
  if (!experiment.solves()) {
    out.section("eval");
    out.put("every", experiment.eval.every);
    out.put("episodes", experiment.eval.episodes);
  }
  out.section("checkpoint");
  if (experiment.checkpoint.every_steps > 0)
    out.put("every", experiment.checkpoint.every_steps);
  else
    out.put("every", duration(experiment.checkpoint.every_seconds));
  out.section("checkpoint.keep");
  out.put("last", experiment.checkpoint.keep_last);
  out.put("best", experiment.checkpoint.keep_best);
  if (!experiment.thresholds.empty()) out.section("threshold");
  for (const auto& threshold : experiment.thresholds)
    out.put(threshold.metric, toml_text(std::string_view(threshold.comparison())));
  return out.take();
}

}  // namespace

std::string resolved_toml(const Experiment& experiment) { return write(experiment, true, true); }

std::string config_hash(const Experiment& experiment) {
  const std::string text = write(experiment, false, false);
  Sha256 hash;
  hash.update(std::as_bytes(std::span(text.data(), text.size())));
  return hash.hex();
}

bool operator==(const Experiment& a, const Experiment& b) { return write(a, false, true) == write(b, false, true); }

}  // namespace spar::config
