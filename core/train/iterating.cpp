#include "core/train/iterating.hpp"

#include <chrono>
#include <limits>

#include "core/checkpoint/state.hpp"
#include "core/checkpoint/writer.hpp"
#include "core/run/json_text.hpp"
#include "core/train/continuing.hpp"
#include "core/train/identity.hpp"
#include "core/train/recorder.hpp"
#include "core/train/saving.hpp"
#include "core/train/stopping.hpp"

namespace spar::train {
namespace {

using Clock = std::chrono::steady_clock;

/// What iterates, and what is counted; what a checkpoint holds.
struct Iterating {
  const config::Experiment& experiment;
  std::unique_ptr<Iterated> what;
  uint64_t metrics_seq = 0;
  uint64_t logged_at = 0;  ///< iteration of the newest metrics line
  double seconds = 0;

  checkpoint::Checkpoint snapshot(const std::string& identity) const {
    checkpoint::Checkpoint out;
    out.step = what->iterations();
    out.manifest = identity;
    out.sections.push_back(checkpoint::state_section("counters", [this](ByteWriter& writer) {
      writer.put(metrics_seq);
      writer.put(logged_at);
      writer.put(seconds);
    }));
    out.sections.push_back(
        checkpoint::state_section(what->section(), [this](ByteWriter& writer) { what->save(writer); }));
    return out;
  }
  void restore(const checkpoint::Checkpoint& saved) {
    checkpoint::read_state(saved, "counters", [this](ByteReader& reader) {
      metrics_seq = reader.get<uint64_t>();
      logged_at = reader.get<uint64_t>();
      seconds = reader.get<double>();
    });
    checkpoint::read_state(saved, what->section(), [this](ByteReader& reader) { what->load(reader); });
  }
};

void announce_needs(const Iterated& what, Observer& observer) {
  const Estimate needs = what.needs();
  observer.prepared(needs.memory_bytes, needs.checkpoint_bytes);
}

void log(Iterating& s, Recorder& recorder, Observer& observer) {
  const auto named = s.what->measure();
  std::vector<Metrics::Value> values;
  for (const auto& [name, value] : named) values.push_back({name, value});
  s.logged_at = s.what->iterations();
  s.metrics_seq = recorder.metrics(s.logged_at, values);
  observer.logged(s.logged_at, values);
}

struct IterationEnding {
  std::string status, reason;
};

IterationEnding loop(Iterating& s, Recorder& recorder, checkpoint::Writer& writer, const std::string& identity,
                     Observer& observer) {
  const auto begin = Clock::now();
  const double before = s.seconds;
  const auto seconds = [&] { return before + std::chrono::duration<double>(Clock::now() - begin).count(); };
  const auto& kept = s.experiment.checkpoint;
  uint64_t told_at = s.what->iterations();
  double told = seconds(), saved = told;
  const auto progress = [&](double now) {
    Progress out;
    out.iterations = s.what->iterations();
    out.budget = s.experiment.stop.iterations();
    out.seconds = now;
    if (now > told) out.steps_per_second = static_cast<double>(*out.iterations - told_at) / (now - told);
    observer.progressed(out);
  };
  // Saved before anything is done: a run that is killed at any later moment can be resumed.
  bool first = s.what->iterations() == 0;
  for (;;) {
    const uint64_t iteration = s.what->iterations();
    double now = seconds();
    std::optional<std::string> stop;
    if (iteration > 0 && s.what->is_logged(iteration)) {
      Situation situation;
      situation.iterations = iteration;
      situation.seconds = now;
      situation.exploitability = s.what->exploitability().value_or(std::numeric_limits<double>::infinity());
      stop = fired(s.experiment.stop, situation);
    }
    if (const auto budget = s.experiment.stop.iterations(); !stop && budget && iteration >= *budget)
      stop = "iterations";
    const Interruption interruption = observer.interruption();
    if (interruption == Interruption::abandon) return {"stopped", "interrupted"};
    if (stop && s.logged_at != iteration) log(s, recorder, observer);
    const bool due =
        kept.every_seconds > 0 ? now - saved >= kept.every_seconds : iteration > 0 && iteration % kept.every_steps == 0;
    if (first || due || stop || interruption != Interruption::none) {
      s.seconds = now;
      recorder.sync();  // the lines that the checkpoint counts reach the disk before it
      writer.submit(iteration, s.snapshot(identity));
      if (first) writer.flush();
      saved = now;
      first = false;
    }
    for (const auto& outcome : writer.poll()) observer.saved(outcome);
    if (stop || interruption != Interruption::none) {
      s.seconds = now;
      progress(now);
      if (stop) return {"completed", *stop};
      return interruption == Interruption::preempt ? IterationEnding{"preempted", "preempted"}
                                                   : IterationEnding{"stopped", "interrupted"};
    }
    // An iteration that takes long may be given up; the next turn of the loop says what then.
    if (!s.what->iterate([&] { return observer.interruption() != Interruption::none; })) continue;
    if (s.what->is_logged(s.what->iterations())) log(s, recorder, observer);
    if (now = seconds(); now - told >= 0.1) {
      progress(now);
      told = now;
      told_at = s.what->iterations();
    }
  }
}

SessionResult iterate(Iterating& s, Recorder& recorder, const run::RunDirectory& directory, const std::string& identity,
                      Observer& observer) {
  SessionResult out;
  out.summary.run = directory.path().string();
  try {
    IterationEnding ending;
    const auto unsaved = run_saving(checkpoints(s.experiment, directory), observer, [&](auto& writer, auto& told) {
      ending = loop(s, recorder, writer, identity, told);
    });
    if (unsaved) throw *unsaved;
    const std::string folder = "seed-" + std::to_string(s.experiment.seed) + "/";
    out.summary.parameters_sha256 = s.what->parameters_sha256();
    for (const auto& [name, content] : s.what->files())
      directory.write_text(folder + name, run::json_text(content) + "\n");
    out.summary.status = ending.status;
    out.summary.stop_reason = ending.reason;
  } catch (const Error& error) {
    out.summary.status = "failed";
    out.summary.stop_reason = "error";
    out.summary.error = error.what();
    out.error = error;
  }
  out.summary.iterations = s.what->iterations();
  if (s.logged_at > 0) s.what->summarise(out.summary);
  out.summary.seconds = s.seconds;
  recorder.sync();
  directory.finish(out.summary);
  return out;
}

}  // namespace

SessionResult begin_iterating(const MakeIterated& make, const Host& host, const config::Experiment& experiment,
                              const run::RunDirectory& directory, const std::vector<std::string>& arguments,
                              Observer& observer) {
  Iterating s{experiment, make()};
  announce_needs(*s.what, observer);
  const std::string identity = identity_json(experiment, host.registry, s.what->backends());
  directory.write_text("resolved.toml", config::resolved_toml(experiment));
  directory.update_manifest(run_manifest(identity, experiment, host.registry, s.what->backends(), arguments));
  Recorder recorder(directory.seed(experiment.seed));
  directory.settle();
  return iterate(s, recorder, directory, identity, observer);
}

SessionResult continue_iterating(const MakeIterated& make, const Host& host, const config::Experiment& experiment,
                                 const run::RunDirectory& directory, const ResumeRequest& request, Observer& observer) {
  const checkpoint::Loaded loaded = newest_checkpoint(experiment, directory, observer);
  Iterating s{experiment, make()};
  announce_needs(*s.what, observer);
  const std::string identity = identity_json(experiment, host.registry, s.what->backends());
  const auto differences = identity_differences(loaded.checkpoint.manifest, identity);
  require_exact(differences, request, directory);
  s.restore(loaded.checkpoint);
  Recorder recorder(directory.seed(experiment.seed));
  recorder.cut_to(s.metrics_seq, 0, s.what->iterations());
  directory.update_manifest({{"status", "running"}});
  note_continued(differences, s.what->iterations(), directory, observer);
  return iterate(s, recorder, directory, identity, observer);
}

}  // namespace spar::train
