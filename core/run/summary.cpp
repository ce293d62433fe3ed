#include "core/run/summary.hpp"

#include <boost/json.hpp>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace spar::run {
namespace {

namespace json = boost::json;

/// Reads the members of one object and names the key in every complaint.
class Fields {
 public:
  Fields(const json::object& object, std::string_view file, std::string prefix = "")
      : object_(object), file_(file), prefix_(std::move(prefix)) {}

  std::string text(std::string_view key) const {
    const json::value& value = need(key);
    if (!value.is_string()) fail(key, "must be a string");
    return std::string(value.get_string());
  }
  uint64_t count(std::string_view key) const {
    json::error_code problem;
    const auto number = need(key).to_number<uint64_t>(problem);
    if (problem) fail(key, "must be a whole number >= 0");
    return number;
  }
  double number(std::string_view key) const { return number_of(key, need(key)); }
  /// Null where the member is absent or null.
  const json::value* optional(std::string_view key) const {
    const json::value* value = object_.if_contains(key);
    return value && !value->is_null() ? value : nullptr;
  }
  Fields object(std::string_view key) const {
    const json::value& value = need(key);
    if (!value.is_object()) fail(key, "must be an object");
    return Fields(value.get_object(), file_, prefix_ + std::string(key) + ".");
  }
  std::pair<double, double> pair(std::string_view key) const {
    const json::value& value = need(key);
    if (!value.is_array() || value.get_array().size() != 2) fail(key, "must be a list of two numbers");
    return {number_of(key, value.get_array()[0]), number_of(key, value.get_array()[1])};
  }
  std::vector<Fields> objects(std::string_view key) const {
    std::vector<Fields> result;
    const json::value& list = need(key);
    if (!list.is_array()) fail(key, "must be a list");
    for (const json::value& value : list.get_array()) {
      if (!value.is_object()) fail(key, "must be a list of objects");
      result.emplace_back(value.get_object(), file_, prefix_ + std::string(key) + "[].");
    }
    return result;
  }

 private:
  const json::value& need(std::string_view key) const {
    const json::value* value = object_.if_contains(key);
    if (!value) fail(key, "is missing");
    return *value;
  }
  /// Null is how a number that is not finite was written.
  double number_of(std::string_view key, const json::value& value) const {
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    json::error_code problem;
    const auto number = value.to_number<double>(problem);
    if (problem) fail(key, "must be a number or null");
    return number;
  }
  [[noreturn]] void fail(std::string_view key, const std::string& problem) const {
    throw Error("E0606", Exit::failed,
                "`" + std::string(file_) + "`: `" + prefix_ + std::string(key) + "` in the summary " + problem)
        .help("restore the file from a copy, or delete the run");
  }

  const json::object& object_;
  std::string_view file_;
  std::string prefix_;
};

EvalStatistics statistics_from(const Fields& fields) {
  EvalStatistics result;
  result.mean = fields.number("mean");
  result.iqm = fields.number("iqm");
  std::tie(result.ci_low, result.ci_high) = fields.pair("ci");
  result.episodes = fields.count("episodes");
  result.std = fields.number("std");
  result.min = fields.number("min");
  result.max = fields.number("max");
  return result;
}

Summary summary_from(const Fields& fields, int depth) {
  Summary summary;
  summary.run = fields.text("run");
  if (fields.optional("seed")) summary.seed = fields.count("seed");
  summary.status = fields.text("status");
  summary.stop_reason = fields.text("stop_reason");
  summary.env_steps = fields.count("env_steps");
  summary.seconds = fields.number("seconds");
  summary.steps_per_second = fields.number("steps_per_second");
  if (fields.optional("eval")) summary.eval = statistics_from(fields.object("eval").object("return"));
  if (fields.optional("best")) {
    const Fields best = fields.object("best");
    summary.best = {best.number("eval_return"), best.count("step")};
  }
  summary.parameters_sha256 = fields.text("parameters_sha256");
  if (fields.optional("error")) summary.error = fields.text("error");
  if (fields.optional("nash_conv")) summary.nash_conv = fields.number("nash_conv");
  if (fields.optional("exploitability")) summary.exploitability = fields.number("exploitability");
  if (fields.optional("elo")) summary.elo = fields.number("elo");
  if (fields.optional("iterations")) summary.iterations = fields.count("iterations");
  if (depth == 0 && fields.optional("seeds"))
    for (const Fields& seed : fields.objects("seeds")) summary.seeds.push_back(summary_from(seed, depth + 1));
  return summary;
}

}  // namespace

json::object to_json(const EvalStatistics& statistics) {
  return {{"mean", statistics.mean},
          {"iqm", statistics.iqm},
          {"ci", {statistics.ci_low, statistics.ci_high}},
          {"episodes", statistics.episodes},
          {"std", statistics.std},
          {"min", statistics.min},
          {"max", statistics.max}};
}

json::object to_json(const Summary& summary) {
  json::object out = {{"event", "end"}, {"run", summary.run}};
  if (summary.seed) out["seed"] = *summary.seed;
  out["status"] = summary.status;
  out["stop_reason"] = summary.stop_reason;
  out["env_steps"] = summary.env_steps;
  out["seconds"] = summary.seconds;
  out["steps_per_second"] = summary.steps_per_second;
  out["eval"] = nullptr;
  if (summary.eval) out["eval"] = json::object{{"return", to_json(*summary.eval)}};
  out["best"] = nullptr;
  if (summary.best)
    out["best"] = json::object{{"eval_return", summary.best->eval_return}, {"step", summary.best->step}};
  out["parameters_sha256"] = summary.parameters_sha256;
  out["error"] = nullptr;
  if (summary.error) out["error"] = *summary.error;
  if (summary.nash_conv) out["nash_conv"] = *summary.nash_conv;
  if (summary.exploitability) out["exploitability"] = *summary.exploitability;
  if (summary.elo) out["elo"] = *summary.elo;
  if (summary.iterations) out["iterations"] = *summary.iterations;
  if (!summary.seeds.empty()) {
    json::array seeds;
    for (const Summary& seed : summary.seeds) seeds.push_back(to_json(seed));
    out["seeds"] = std::move(seeds);
  }
  return out;
}

Summary summary_from_json(const json::object& object, std::string_view file) {
  return summary_from(Fields(object, file), 0);
}

}  // namespace spar::run
