#include "host/spar/watcher.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>

#include "host/spar/engine.hpp"
#include "host/spar/output.hpp"
#include "host/spar/signals.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

using Clock = std::chrono::steady_clock;

boost::json::value number_or_null(const std::optional<double>& value) {
  return value ? boost::json::value(*value) : boost::json::value();
}

boost::json::object to_json(const train::Progress& progress) {
  boost::json::object out{{"env_steps", progress.env_steps},
                          {"train_steps", progress.train_steps},
                          {"episodes", progress.episodes},
                          {"seconds", progress.seconds},
                          {"steps_per_second", progress.steps_per_second},
                          {"recent_return", number_or_null(progress.recent_return)}};
  if (progress.iterations) out["iterations"] = *progress.iterations;
  if (progress.budget) out["budget"] = *progress.budget;
  return out;
}

boost::json::object event(const char* name, const boost::json::object& fields) {
  boost::json::object out{{"event", name}};
  for (const auto& [key, value] : fields) out[key] = value;
  return out;
}

}  // namespace

double milliseconds_since_start() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The name of the program may hold spaces: fields are counted from its closing bracket; the start is the 22nd.
  std::size_t at = text.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return 0;
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const double ticks = std::strtod(text.c_str() + at, nullptr);
  return (static_cast<double>(now.tv_sec) - ticks / static_cast<double>(::sysconf(_SC_CLK_TCK))) * 1e3 +
         static_cast<double>(now.tv_nsec) / 1e6;
}

Watcher::Watcher(WatcherOptions options, const Terminal& terminal, RunLog& log)
    : options_(std::move(options)), terminal_(terminal), log_(log), panel_(terminal) {
  view_.run = options_.run;
  view_.seed = options_.seed;
  view_.progress.budget = options_.budget;
}

void Watcher::say(const std::string& line) {
  if (panel())
    panel_.say(line);
  else
    print_error(line + "\n");
}

void Watcher::prepared(uint64_t memory_bytes, uint64_t checkpoint_bytes) {
  std::string warning;
  if (options_.check_resources) warning = options_.check_resources(memory_bytes, checkpoint_bytes);
  const boost::json::object fields{{"run", options_.path},
                                   {"seed", options_.seed},
                                   {"memory_bytes", memory_bytes},
                                   {"checkpoint_bytes", checkpoint_bytes}};
  log_.write("start", fields);
  if (options_.json) print_json(event("start", fields));
  if (!options_.quiet) say(options_.path + ": " + estimate_text(memory_bytes, checkpoint_bytes));
  if (!warning.empty()) warned(warning);
}

void Watcher::progressed(const train::Progress& progress) {
  view_.progress = progress;
  if (panel()) panel_.draw(view_);
  const auto now = Clock::now();
  if (now - speed_noted_ >= std::chrono::seconds(10)) {
    speed_noted_ = now;
    log_.write("speed", to_json(progress));
  }
  if (!options_.json || now - progress_told_ < std::chrono::seconds(1)) return;
  progress_told_ = now;
  print_json(event("progress", to_json(progress)));
}

void Watcher::stepped() {
  if (!options_.json) return;
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  const double processor_ms = static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
  print_json({{"event", "first_step"}, {"ms", milliseconds_since_start()}, {"processor_ms", processor_ms}});
}

void Watcher::logged(uint64_t, const std::vector<train::Metrics::Value>& values) {
  // A line need not hold every metric: what was told last stays. Losses come first; episodes are shown anyway.
  for (const auto& [name, value] : values) {
    if (name.starts_with("episode/")) continue;
    const auto known = std::ranges::find(view_.metrics, name, &std::pair<std::string, double>::first);
    if (known != view_.metrics.end()) {
      known->second = value;
    } else {
      const auto place = name.starts_with("loss") ? view_.metrics.begin() : view_.metrics.end();
      view_.metrics.emplace(place, name, value);
    }
  }
}

void Watcher::evaluated(const train::EvaluationResult& result) {
  view_.evaluations.push_back(result.mean);
  if (result.best) view_.best = {result.mean, result.step};
  boost::json::object fields{{"step", result.step},
                             {"mean", result.mean},
                             {"iqm", result.iqm},
                             {"episodes", result.returns.size()},
                             {"best", result.best}};
  if (result.nash_conv) fields["nash_conv"] = *result.nash_conv;
  log_.write("eval", fields);
  if (options_.json) print_json(event("eval", fields));
  if (options_.quiet) return;
  if (panel()) {
    panel_.draw(view_, true);
    return;
  }
  std::string line = "step " + grouped(result.step);
  if (const auto& budget = view_.progress.budget; budget && *budget > 0)
    line += " (" + std::to_string(result.step * 100 / *budget) + " %)";
  line += "  eval return " + brief(result.mean) + (result.best ? " (best)" : "");
  if (result.nash_conv) line += ", NashConv " + brief(*result.nash_conv);
  if (view_.progress.steps_per_second > 0)
    line += "  " + grouped(static_cast<uint64_t>(view_.progress.steps_per_second)) + " steps/s";
  print_error(line + "\n");
}

void Watcher::saved(const checkpoint::Outcome& outcome) {
  boost::json::object fields{
      {"step", outcome.step}, {"best", outcome.best}, {"bytes", outcome.bytes}, {"seconds", outcome.seconds}};
  if (outcome.error)
    fields["error"] = outcome.error->what();
  else
    fields["file"] = outcome.file.string();
  log_.write("checkpoint", fields);
  if (options_.json) print_json(event("checkpoint", fields));
  if (outcome.error) {
    // Once for each outage: the same disk tells the same again at every evaluation.
    if (!unsaved_ && !options_.quiet)
      say(paint(terminal_.color_err, "1;33", "warning") + ": " + outcome.error->what() +
          "; training goes on without new checkpoints");
    unsaved_ = outcome.error;
    return;
  }
  if (unsaved_ && !options_.quiet) say("checkpoints are saved again, from step " + grouped(outcome.step) + " on");
  unsaved_.reset();
  if (options_.verbose) say("saved " + outcome.file.string() + " (" + bytes_text(outcome.bytes) + ")");
}

void Watcher::warned(const std::string& text) {
  log_.write("warning", {{"text", text}});
  show_warning(text);
}

/// Plugins may log from any thread and in the middle of the panel; what they warn of is told between two steps.
void Watcher::tell_plugin_warnings() {
  constexpr uint64_t kMost = 20;
  for (const auto& text : log_.take_warnings()) {
    if (++plugin_warnings_ <= kMost) show_warning(text);
    if (plugin_warnings_ == kMost + 1) show_warning("further warnings of plugins are in log.jsonl");
  }
}

void Watcher::show_warning(const std::string& text) {
  if (options_.json) print_json({{"event", "warning"}, {"text", text}});
  if (!options_.quiet) say(paint(terminal_.color_err, "1;33", "warning") + ": " + text);
}

train::Interruption Watcher::interruption() {
  tell_plugin_warnings();
  ++asked_;
  const auto asked_for = host::interruption();
  if (asked_for != train::Interruption::none && !stopping_) {
    stopping_ = true;
    log_.write("signal", {{"meaning", asked_for == train::Interruption::preempt ? "preempted" : "interrupted"}});
    if (!options_.quiet && asked_for == train::Interruption::save_and_stop)
      say("saving and stopping (Ctrl-C once more quits at once)");
  }
  return asked_for;
}

void Watcher::finish() {
  tell_plugin_warnings();
  if (panel() && view_.progress.done() > 0) panel_.draw(view_, true);
  panel_.leave();
}

}  // namespace spar::host
