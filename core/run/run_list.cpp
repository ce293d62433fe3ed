#include "core/run/run_list.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <fstream>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/run/run_directory.hpp"

namespace spar::run {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::streamoff kTail = 64 << 10;
constexpr size_t kDigits = 4;

/// The whole lines in the last 64 kB of a file, parsed; what does not parse is left out.
std::vector<json::object> last_lines(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  std::vector<json::object> lines;
  if (!stream) return lines;
  const std::streamoff size = stream.tellg();
  stream.seekg(std::max<std::streamoff>(0, size - kTail));
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    json::error_code problem;
    json::value value = json::parse(line, problem);
    if (!problem && value.is_object()) lines.push_back(std::move(value.get_object()));
  }
  return lines;
}

std::optional<double> number(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  json::error_code problem;
  const double result = value ? value->to_number<double>(problem) : 0;
  if (!value || problem) return {};
  return result;
}

std::string text(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

/// What the files of the seeds tell of a run that has no summary.
void look_at_progress(RunInfo& info) {
  std::error_code problem;
  for (fs::directory_iterator entry(info.path, problem), end; !problem && entry != end; entry.increment(problem)) {
    if (!entry->path().filename().string().starts_with("seed-")) continue;
    const auto steps = [&](const json::object& line) {
      const double step = number(line, "step").value_or(0);
      if (step > 0 && step < 1e18) info.env_steps = std::max(info.env_steps, static_cast<uint64_t>(step));
    };
    const auto metrics = last_lines(entry->path() / "metrics.jsonl");
    if (!metrics.empty()) steps(metrics.back());
    for (const json::object& line : last_lines(entry->path() / "eval.jsonl")) {
      steps(line);
      const json::value* result = line.if_contains("return");
      if (!result || !result->is_object()) continue;
      const auto mean = number(result->get_object(), "mean");
      if (mean && (!info.best_return || *mean > *info.best_return)) info.best_return = mean;
    }
  }
}

RunInfo look_at(const fs::path& path) {
  RunInfo info;
  info.path = path;
  info.id = path.filename().string();
  try {
    const RunDirectory run = RunDirectory::open(path);
    const json::object manifest = run.manifest();
    info.name = text(manifest, "name");
    info.created = text(manifest, "created");
    info.status = text(manifest, "status");
    info.scenario = text(manifest, "scenario");
    if (info.status == "running" && !is_locked(path / "lock")) info.status = "interrupted";
    if (const auto summary = run.summary()) {
      info.env_steps = summary->iterations.value_or(summary->env_steps);
      if (summary->best && !std::isnan(summary->best->eval_return)) info.best_return = summary->best->eval_return;
    } else {
      look_at_progress(info);
    }
  } catch (const Error&) {
    info.status = "damaged";
  }
  return info;
}

[[noreturn]] void none(const std::string& message, const std::string& help) {
  throw Error("E0601", Exit::usage, message).help(help);
}

}  // namespace

std::vector<RunInfo> list(const fs::path& parent) {
  std::vector<RunInfo> runs;
  std::error_code problem;
  for (fs::directory_iterator entry(parent, problem), end; !problem && entry != end; entry.increment(problem))
    if (is_run(entry->path())) runs.push_back(look_at(entry->path()));
  std::sort(runs.begin(), runs.end(),
            [](const RunInfo& a, const RunInfo& b) { return std::tie(a.created, a.id) < std::tie(b.created, b.id); });
  return runs;
}

fs::path resolve(std::string_view spec, const fs::path& parent) {
  if (!spec.starts_with('@') && is_run(fs::path(spec))) return RunDirectory::open(fs::path(spec)).path();
  const std::vector<RunInfo> runs = list(parent);
  const std::string place = "`" + parent.string() + "`";
  if (runs.empty()) none("there are no runs in " + place, "start one with `spar train`, or give the path of a run");
  if (spec == "@last") return runs.back().path;
  if (spec == "@best") {
    const auto less = [](const RunInfo& a, const RunInfo& b) { return a.best_return < b.best_return; };
    const auto best = std::max_element(runs.begin(), runs.end(), less);
    if (best->best_return) return best->path;
    none("no run in " + place + " has been evaluated yet", "name a run, or use @last");
  }

  std::vector<std::string> ids, matching;
  const RunInfo* match = nullptr;
  for (const RunInfo& run : runs) {
    ids.push_back(run.id);
    if (run.id == spec) return run.path;
    const bool digits = spec.size() == kDigits && run.id.ends_with("-" + std::string(spec));
    if (spec.empty() || !(digits || run.id.starts_with(spec))) continue;
    matching.push_back("`" + run.id + "`");
    match = &run;
  }
  const std::string shown = "`" + printable(spec) + "`";
  if (match && matching.size() == 1) return match->path;
  if (matching.size() > 1)
    throw Error("E0602", Exit::usage, shown + " can be " + listing(matching, "or")).help("give one more character");
  const std::string near = nearest(spec, ids);
  none("no run in " + place + " is named " + shown,
       near.empty() ? "`spar runs` lists the runs; @last and @best work as well" : "did you mean `" + near + "`?");
}

}  // namespace spar::run
