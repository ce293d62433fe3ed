#include "host/spar/outcome.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/run/json_text.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/output.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

/// NaN if the run did not measure it.
double measured(const run::Summary& summary, const std::string& metric) {
  if (metric == "best.eval_return") return summary.best ? summary.best->eval_return : NAN;
  if (!summary.eval) return NAN;
  if (metric == "eval.return.mean") return summary.eval->mean;
  if (metric == "eval.return.iqm") return summary.eval->iqm;
  return metric == "eval.return.max" ? summary.eval->max : NAN;
}

/// One Error that names every threshold that was not met; none if all were.
std::optional<Error> unmet(const config::Experiment& experiment, const run::Summary& summary, bool json) {
  std::string list;
  for (const auto& threshold : experiment.thresholds) {
    const double value = measured(summary, threshold.metric);
    const bool met = threshold.met(value);
    if (json)
      print_json({{"event", "threshold"},
                  {"metric", threshold.metric},
                  {"wanted", threshold.comparison()},
                  {"measured", value},
                  {"met", met}});
    if (met) continue;
    list += (list.empty() ? "" : "; ") + threshold.metric + " is " +
            (std::isnan(value) ? "not measured" : run::number_text(value)) + ", wanted " + threshold.comparison();
  }
  if (list.empty()) return {};
  return Error("E0406", Exit::threshold, "a threshold is not met: " + list)
      .help("the run is complete; more steps or other settings may reach it");
}

/// 12.3 %
std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string style_of(const std::string& status) {
  if (status == "completed") return "32";
  return status == "failed" ? "1;31" : "33";
}

Exit exit_of(const train::SessionResult& result) {
  if (result.error) return result.error->exit();
  if (result.summary.status == "preempted") return Exit::preempted;
  if (result.summary.status == "stopped") return Exit::interrupted;
  return Exit::ok;
}

/// Without one there is nothing to resume.
bool has_checkpoint(const std::string& run, uint64_t seed) {
  std::error_code problem;
  const auto saved = std::filesystem::path(run) / ("seed-" + std::to_string(seed)) / "checkpoints";
  return !std::filesystem::is_empty(saved, problem) && !problem;
}

/// The trace as a file of the run, and the shares.
void print_profile(const Profile& profile, const run::Summary& summary, const Arguments& arguments) {
  const auto shares = profile.shares();
  const double all = profile.seconds();
  const std::string file = summary.run + "/profile.json";
  std::ofstream(file) << profile.trace();
  double rest = 1;
  boost::json::object phases;
  std::string text;
  for (const auto& [phase, seconds, share] : shares) {
    rest -= share;
    phases[name_of(phase)] = seconds;
    text += percent(share) + " " + name_of(phase) + ", ";
  }
  if (arguments.json)
    print_json({{"event", "profile"}, {"file", file}, {"seconds", all}, {"phases", std::move(phases)}});
  else
    print(padded("profile", 12) + text + percent(std::max(0.0, rest)) + " other\n" + padded("trace", 12) + file +
          " (chrome://tracing or ui.perfetto.dev)\n");
}

}  // namespace

WatcherOptions watch_options(const run::RunDirectory& directory, const config::Experiment& experiment,
                             const Arguments& arguments) {
  const std::string path = directory.path().string();
  return {arguments.quiet,
          arguments.verbose,
          arguments.json,
          directory.id(),
          path,
          experiment.seed,
          experiment.budget(),
          [path](uint64_t memory, uint64_t disk) { return check_resources(memory, disk, path); }};
}

std::string summary_text(const run::Summary& s, const Terminal& terminal) {
  std::string out;
  const auto row = [&](const std::string& name, const std::string& text) { out += padded(name, 12) + text + "\n"; };
  row("run", s.run);
  row("status", paint(terminal.color_out, style_of(s.status).c_str(), s.status) +
                    (s.stop_reason.empty() || s.stop_reason == s.status ? "" : " (" + s.stop_reason + ")"));
  if (s.iterations) {
    row("iterations", grouped(*s.iterations) + " in " + duration_text(s.seconds));
  } else {
    row("steps", grouped(s.env_steps) + " in " + duration_text(s.seconds) + " (" +
                     grouped(static_cast<uint64_t>(std::max(0.0, s.steps_per_second))) + " steps/s)");
  }
  if (s.elo) row("Elo", brief(*s.elo) + " of the main agent, which began at 1000");
  if (s.nash_conv)
    row("NashConv", brief(*s.nash_conv) + ", exploitability " + brief(s.exploitability.value_or(NAN)) +
                        (s.iterations && !s.elo ? "" : " of greedy play"));
  if (s.eval)
    row("eval return", "mean " + brief(s.eval->mean) + ", iqm " + brief(s.eval->iqm) + " [" + brief(s.eval->ci_low) +
                           ", " + brief(s.eval->ci_high) + "] over " + std::to_string(s.eval->episodes) + " episodes");
  if (s.best) row("best", brief(s.best->eval_return) + " at step " + grouped(s.best->step));
  if (!s.parameters_sha256.empty()) row("parameters", "sha256 " + s.parameters_sha256);
  if (s.error) row("error", *s.error);
  return out;
}

void print_summary(const run::Summary& summary, const Arguments& arguments, const Terminal& terminal) {
  if (arguments.json)
    print_json(run::to_json(summary));
  else
    print(summary_text(summary, terminal));
}

std::unique_ptr<Profile> profile_of(const Arguments& arguments, const config::Experiment& experiment) {
  if (arguments.has("profile") && experiment.solves())
    throw Error("E0403", Exit::usage,
                "`--profile` has no meaning here: " + std::string(experiment.is_league()
                                                                      ? "the phases of a league are not timed"
                                                                      : "solving a game has none of training's phases"))
        .help("leave it out");
  return arguments.has("profile") ? std::make_unique<Profile>() : nullptr;
}

int conclude(const train::SessionResult& result, const config::Experiment& experiment, Watcher& watcher, RunLog& log,
             const Profile* profile, const Arguments& arguments, const Terminal& terminal) {
  watcher.finish();
  std::optional<Error> error = result.error;
  if (!error && watcher.unsaved()) error = watcher.unsaved();
  if (!error && result.summary.status == "completed") error = unmet(experiment, result.summary, arguments.json);
  log.write("end", {{"status", result.summary.status},
                    {"stop_reason", result.summary.stop_reason},
                    {"env_steps", result.summary.env_steps},
                    {"error", error ? boost::json::value(error->what()) : boost::json::value()}});
  if (profile) print_profile(*profile, result.summary, arguments);
  print_summary(result.summary, arguments, terminal);  // the last line for machines
  // What the settings have brought about comes again.
  const bool hopeless = error && error->exit() == Exit::usage;
  if (result.summary.status != "completed" && !hopeless && !arguments.quiet &&
      has_checkpoint(result.summary.run, experiment.seed))
    print_error("continue with: spar resume " + result.summary.run + "\n");
  if (error) {
    print_error(error->render(terminal.color_err));
    return static_cast<int>(error->exit());
  }
  return static_cast<int>(exit_of(result));
}

}  // namespace spar::host
