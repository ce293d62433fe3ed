#include "core/solve/session.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>

#include "core/checkpoint/state.hpp"
#include "core/checkpoint/writer.hpp"
#include "core/run/json_text.hpp"
#include "core/solve/files.hpp"
#include "core/solve/solver.hpp"
#include "core/train/continuing.hpp"
#include "core/train/identity.hpp"
#include "core/train/recorder.hpp"
#include "core/train/saving.hpp"
#include "core/train/stopping.hpp"

namespace spar::solve {
namespace {

using Clock = std::chrono::steady_clock;

game::SeenGame compile(const train::Host& host, const config::Experiment& experiment) {
  const config::ConfigView view(experiment.env.options);
  game::Position position(*host.table.host(), host.registry.load(SPAR_KIND_ENV, experiment.env.id), *view.get());
  if (experiment.learns_responses()) return game::compile_seen(position);
  return {game::compile(position), {}};
}

/// A game, its solver and what is counted; what a checkpoint holds.
struct Solving {
  Solving(const train::Host& host, const config::Experiment& e)
      : experiment(e),
        game(compile(host, e)),
        solver(make_solver(e, game, train::loader_in(host.registry), *host.table.host())) {}

  const config::Experiment& experiment;
  game::SeenGame game;
  std::unique_ptr<Solver> solver;
  game::Exploitability result;  ///< of the newest metrics line
  uint64_t metrics_seq = 0;
  uint64_t logged_at = 0;  ///< iteration of the newest metrics line
  double seconds = 0;

  checkpoint::Checkpoint snapshot(const std::string& identity) const {
    checkpoint::Checkpoint out;
    out.step = solver->iterations();
    out.manifest = identity;
    out.sections.push_back(checkpoint::state_section("counters", [this](ByteWriter& writer) {
      writer.put(metrics_seq);
      writer.put(logged_at);
      writer.put(seconds);
    }));
    out.sections.push_back(checkpoint::state_section("solver", [this](ByteWriter& writer) { solver->save(writer); }));
    return out;
  }
  void restore(const checkpoint::Checkpoint& saved) {
    checkpoint::read_state(saved, "counters", [this](ByteReader& reader) {
      metrics_seq = reader.get<uint64_t>();
      logged_at = reader.get<uint64_t>();
      seconds = reader.get<double>();
    });
    checkpoint::read_state(saved, "solver", [this](ByteReader& reader) { solver->load(reader); });
    if (solver->iterations() > 0) result = solver->result();
  }
};

/// What the engine holds: plans and regrets by sequence, the payoffs of the populations, and the tree's rows.
train::Estimate estimate(const Solving& s) {
  uint64_t sequences = 0, entries = s.game.form.terminal_payoffs.size();
  for (const auto& player : s.game.form.players) sequences += player.sequences();
  for (const auto& rows : s.game.form.payoff) entries += rows.value.size();
  // Most runs end long before: best responses come again, and exploitability falls.
  const uint64_t iterations = std::min<uint64_t>(s.experiment.stop.iterations().value_or(1'000), 1'000);
  const uint64_t game = 12 * entries + 64 * sequences;
  uint64_t solver = 32 * sequences;
  if (s.experiment.scenario == "psro") solver += 16 * iterations * iterations + iterations * sequences;
  return {game + solver + s.solver->learner_bytes(),
          solver * (s.experiment.checkpoint.keep_last + s.experiment.checkpoint.keep_best)};
}

void announce(const Solving& s, train::Observer& observer) {
  const train::Estimate needs = estimate(s);
  observer.prepared(needs.memory_bytes, needs.checkpoint_bytes);
}

void log(Solving& s, train::Recorder& recorder, train::Observer& observer) {
  s.result = s.solver->result();
  std::vector<std::pair<std::string, double>> named = {{"nash_conv", s.result.nash_conv},
                                                       {"exploitability", s.result.exploitability}};
  for (size_t p = 0; p < s.game.form.players.size(); ++p)
    named.emplace_back("value/" + s.game.form.players[p].name, s.result.value[p]);
  for (auto& detail : s.solver->details()) named.push_back(std::move(detail));
  std::vector<train::Metrics::Value> values;
  for (const auto& [name, value] : named) values.push_back({name, value});
  s.logged_at = s.solver->iterations();
  s.metrics_seq = recorder.metrics(s.logged_at, values);
  observer.logged(s.solver->iterations(), values);
}

struct Ending {
  std::string status, reason;
};

Ending loop(Solving& s, train::Recorder& recorder, checkpoint::Writer& writer, const std::string& identity,
            train::Observer& observer) {
  const auto begin = Clock::now();
  const double before = s.seconds;
  const auto seconds = [&] { return before + std::chrono::duration<double>(Clock::now() - begin).count(); };
  const auto& kept = s.experiment.checkpoint;
  uint64_t told_at = s.solver->iterations();
  double told = seconds(), saved = told;
  const auto progress = [&](double now) {
    train::Progress out;
    out.iterations = s.solver->iterations();
    out.budget = s.experiment.stop.iterations();
    out.seconds = now;
    if (now > told) out.steps_per_second = static_cast<double>(*out.iterations - told_at) / (now - told);
    observer.progressed(out);
  };
  // Saved before anything is done: a run that is killed at any later moment can be resumed.
  bool first = s.solver->iterations() == 0;
  for (;;) {
    const uint64_t iteration = s.solver->iterations();
    double now = seconds();
    std::optional<std::string> stop;
    if (iteration > 0 && is_logged(iteration)) {
      train::Situation situation;
      situation.iterations = iteration;
      situation.seconds = now;
      situation.exploitability = s.result.exploitability;
      stop = train::fired(s.experiment.stop, situation);
    }
    if (const auto budget = s.experiment.stop.iterations(); !stop && budget && iteration >= *budget)
      stop = "iterations";
    const train::Interruption interruption = observer.interruption();
    if (interruption == train::Interruption::abandon) return {"stopped", "interrupted"};
    if (stop && s.logged_at != iteration) log(s, recorder, observer);
    const bool due =
        kept.every_seconds > 0 ? now - saved >= kept.every_seconds : iteration > 0 && iteration % kept.every_steps == 0;
    if (first || due || stop || interruption != train::Interruption::none) {
      s.seconds = now;
      recorder.sync();  // the lines that the checkpoint counts reach the disk before it
      writer.submit(iteration, s.snapshot(identity));
      if (first) writer.flush();
      saved = now;
      first = false;
    }
    for (const auto& outcome : writer.poll()) observer.saved(outcome);
    if (stop || interruption != train::Interruption::none) {
      s.seconds = now;
      progress(now);
      if (stop) return {"completed", *stop};
      return interruption == train::Interruption::preempt ? Ending{"preempted", "preempted"}
                                                          : Ending{"stopped", "interrupted"};
    }
    // An iteration that takes long may be given up; the next turn of the loop says what then.
    if (!s.solver->iterate([&] { return observer.interruption() != train::Interruption::none; })) continue;
    if (is_logged(s.solver->iterations())) log(s, recorder, observer);
    if (now = seconds(); now - told >= 0.1) {
      progress(now);
      told = now;
      told_at = s.solver->iterations();
    }
  }
}

train::SessionResult run(Solving& s, train::Recorder& recorder, const run::RunDirectory& directory,
                         const std::string& identity, train::Observer& observer) {
  train::SessionResult out;
  out.summary.run = directory.path().string();
  try {
    Ending ending;
    const auto unsaved =
        train::run_saving(train::checkpoints(s.experiment, directory), observer,
                          [&](auto& writer, auto& told) { ending = loop(s, recorder, writer, identity, told); });
    if (unsaved) throw *unsaved;
    const std::string folder = "seed-" + std::to_string(s.experiment.seed) + "/";
    const auto plans = s.solver->plans();
    out.summary.parameters_sha256 = plans_sha256(plans);
    directory.write_text(
        folder + "strategy.json",
        run::json_text(strategy_json(s.experiment.env.id, s.game.form, plans, s.solver->iterations())) + "\n");
    if (const auto picture = s.solver->empirical_game(); !picture.empty())
      directory.write_text(folder + "empirical_game.json", run::json_text(picture) + "\n");
    out.summary.status = ending.status;
    out.summary.stop_reason = ending.reason;
  } catch (const Error& error) {
    out.summary.status = "failed";
    out.summary.stop_reason = "error";
    out.summary.error = error.what();
    out.error = error;
  }
  out.summary.iterations = s.solver->iterations();
  if (s.logged_at > 0) {
    out.summary.nash_conv = s.result.nash_conv;
    out.summary.exploitability = s.result.exploitability;
  }
  out.summary.seconds = s.seconds;
  recorder.sync();
  directory.finish(out.summary);
  return out;
}

}  // namespace

bool is_logged(uint64_t iteration) {
  uint64_t every = 1;
  while (iteration > 1'000 * every) every *= 10;
  return iteration % every == 0;
}

train::Estimate rehearse(const train::Host& host, const config::Experiment& experiment) {
  return estimate(Solving(host, experiment));
}

train::SessionResult start(const train::Host& host, const config::Experiment& experiment,
                           const run::RunDirectory& directory, const std::vector<std::string>& arguments,
                           train::Observer& observer) {
  Solving s(host, experiment);
  announce(s, observer);
  const std::string identity = train::identity_json(experiment, host.registry, s.solver->backends());
  directory.write_text("resolved.toml", config::resolved_toml(experiment));
  directory.update_manifest(train::run_manifest(identity, experiment, host.registry, s.solver->backends(), arguments));
  train::Recorder recorder(directory.seed(experiment.seed));
  directory.settle();
  return run(s, recorder, directory, identity, observer);
}

train::SessionResult resume(const train::Host& host, const config::Experiment& experiment,
                            const run::RunDirectory& directory, const train::ResumeRequest& request,
                            train::Observer& observer) {
  if (request.recorded)
    throw Error("E0508", Exit::usage, "the settings of a run that solves a game cannot be changed on its way")
        .help("start a new run with them: spar train");
  const checkpoint::Loaded loaded = train::newest_checkpoint(experiment, directory, observer);
  Solving s(host, experiment);
  announce(s, observer);
  const std::string identity = train::identity_json(experiment, host.registry, s.solver->backends());
  const auto differences = train::identity_differences(loaded.checkpoint.manifest, identity);
  train::require_exact(differences, request, directory);
  s.restore(loaded.checkpoint);
  train::Recorder recorder(directory.seed(experiment.seed));
  recorder.cut_to(s.metrics_seq, 0, s.solver->iterations());
  directory.update_manifest({{"status", "running"}});
  train::note_continued(differences, s.solver->iterations(), directory, observer);
  return run(s, recorder, directory, identity, observer);
}

}  // namespace spar::solve
