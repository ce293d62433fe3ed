#include "core/train/session.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/nn/service.hpp"
#include "core/params/service.hpp"
#include "core/rollout/evaluation.hpp"
#include "core/rollout/sampling.hpp"
#include "core/run/statistics.hpp"
#include "core/train/continuing.hpp"
#include "core/train/equilibrium.hpp"
#include "core/train/identity.hpp"
#include "core/train/saving.hpp"
#include "core/train/services.hpp"
#include "core/train/training_loop.hpp"

namespace spar::train {
namespace {

std::string status_name(Ending ending) {
  switch (ending) {
    case Ending::completed:
      return "completed";
    case Ending::preempted:
      return "preempted";
    default:
      return "stopped";
  }
}

void fill_results(run::Summary& summary, const Training& training) {
  summary.env_steps = training.counters.env_steps;
  summary.seconds = training.counters.seconds;
  summary.steps_per_second = summary.seconds > 0 ? static_cast<double>(summary.env_steps) / summary.seconds : 0;
  if (training.counters.best_return)
    summary.best = run::Summary::Best{*training.counters.best_return, training.counters.best_step};
  summary.nash_conv = training.nash_conv;
  if (training.nash_conv)
    summary.exploitability = *training.nash_conv / static_cast<double>(training.environment->agents().size());
  if (!training.last_returns.empty()) summary.eval = run::evaluate(training.last_returns, training.experiment.seed);
}

Estimate estimate(const Training& training) {
  const auto& kept = training.experiment.checkpoint;
  return {training.memory_bytes(), training.checkpoint_bytes() * (kept.keep_last + kept.keep_best)};
}

void announce(const Training& training, Observer& observer) {
  const Estimate needs = estimate(training);
  observer.prepared(needs.memory_bytes, needs.checkpoint_bytes);
}

/// A run that ends early looks like one that has learnt.
void warn_unless_learnt(const Training& training, Observer& observer) {
  if (training.counters.updates > 0) return;
  const rollout::Learner& learner = *training.learners.front();
  const spar_needs& needs = learner.needs();
  observer.warned("no update was made: the run ended after " + std::to_string(training.counters.env_steps) +
                  " transitions, before " + learner.label() + " begins to learn (warm-up " +
                  std::to_string(needs.warmup) + " transitions, " + std::to_string(needs.rows_per_learn) +
                  " rows in its memory)");
}

/// The common part of train and resume: the loop, then the summary.
SessionResult run(Training& training, Recorder& recorder, const run::RunDirectory& directory,
                  const std::string& identity, Observer& observer) {
  SessionResult result;
  result.summary.run = directory.path().string();
  try {
    const auto unsaved =
        run_saving(checkpoints(training.experiment, directory), observer, [&](auto& writer, auto& told) {
          const LoopResult loop = run_loop(training, recorder, writer, identity, told);
          result.summary.status = status_name(loop.ending);
          result.summary.stop_reason = loop.reason;
          if (loop.ending == Ending::completed) warn_unless_learnt(training, told);
        });
    result.summary.parameters_sha256 = training.parameters_sha256();
    if (unsaved) throw *unsaved;
  } catch (const Error& error) {
    result.summary.status = "failed";
    result.summary.stop_reason = "error";
    result.summary.error = error.what();
    result.error = error;
  }
  fill_results(result.summary, training);
  recorder.sync();
  directory.finish(result.summary);
  return result;
}

}  // namespace

void offer_services(plugin::HostTable& host) {
  host.offer(SPAR_SVC_NN, &nn::nn_service());
  host.offer(SPAR_SVC_BUFFER, &rollout::sampling_service());
  host.offer(SPAR_SVC_PARAMS, &params::params_service());
  host.offer(SPAR_SVC_METRICS, &metrics_service());
  host.offer(SPAR_SVC_EXEC, &exec_service());
}

ComponentLoader loader_in(plugin::Registry& registry) {
  return [&registry](uint32_t kind, std::string_view id) -> const spar_component& { return registry.load(kind, id); };
}

config::ComponentLookup lookup_in(plugin::Registry& registry) {
  return [&registry](uint32_t kind, std::string_view id, const Place& place) {
    try {
      return std::make_shared<const config::Component>(registry.schema(kind, id));
    } catch (const Error& error) {
      if (error.code() != "E0110" && error.code() != "E0111") throw;
      throw Error("E0207", Exit::usage, error.what()).at(place).help(error.help());
    }
  };
}

Estimate rehearse(const Host& host, const config::Experiment& experiment) {
  Training training(experiment, loader_in(host.registry), *host.table.host(), host.threads);
  return estimate(training);
}

struct Session::Parts {
  Training& training;
  const run::RunDirectory& directory;
  Observer& observer;
  Profile* profile;
  std::string identity;
  std::unique_ptr<Recorder> recorder;
};

Session::Session(const Host& host, Training& training, const run::RunDirectory& directory,
                 const std::vector<std::string>& arguments, Observer& observer)
    : parts_(std::make_unique<Parts>(Parts{training, directory, observer, host.profile, "", nullptr})) {
  const config::Experiment& experiment = training.experiment;
  announce(training, observer);
  parts_->identity = identity_json(experiment, host.registry, training.backends());
  directory.write_text("resolved.toml", config::resolved_toml(experiment));
  directory.update_manifest(run_manifest(parts_->identity, experiment, host.registry, training.backends(), arguments));
  if (const std::string why = training.why_not_resumable(); !why.empty())
    observer.warned("this run cannot be resumed exactly: " + why);
  if (!training.why_not_judged.empty()) observer.warned("evaluations tell no NashConv: " + training.why_not_judged);
  parts_->recorder = std::make_unique<Recorder>(directory.seed(experiment.seed));
  directory.make_inside(checkpoints(experiment, directory).path());
  directory.settle();
}

Session::~Session() = default;

SessionResult Session::run() {
  parts_->training.time(parts_->profile);
  parts_->training.start();
  return train::run(parts_->training, *parts_->recorder, parts_->directory, parts_->identity, parts_->observer);
}

SessionResult train(const Host& host, const config::Experiment& experiment, const run::RunDirectory& directory,
                    const std::vector<std::string>& arguments, Observer& observer) {
  Training training(experiment, loader_in(host.registry), *host.table.host(), host.threads);
  return Session(host, training, directory, arguments, observer).run();
}

SessionResult resume(const Host& host, const config::Experiment& experiment, const run::RunDirectory& directory,
                     const ResumeRequest& request, Observer& observer) {
  std::vector<std::string> settings;
  if (request.recorded) {
    config::check_changes(*request.recorded, experiment);
    settings = config::changed_settings(*request.recorded, experiment);
  }
  checkpoint::Loaded loaded = newest_checkpoint(experiment, directory, observer);

  Training training(experiment, loader_in(host.registry), *host.table.host(), host.threads);
  announce(training, observer);
  const std::string identity = identity_json(experiment, host.registry, training.backends());
  std::vector<std::string> differences = identity_differences(loaded.checkpoint.manifest, identity, settings);
  if (const std::string why = training.why_not_resumable(); !why.empty()) differences.push_back(why);
  require_exact(differences, request, directory);
  try {
    training.restore(loaded.checkpoint);
  } catch (const Error& error) {
    if (settings.empty()) throw;
    throw Error(error.code(), Exit::usage, std::string(error.what()) + ": " + listing(settings, "and"))
        .help("what was saved does not fit these settings: start a new run with them: spar train");
  }
  loaded = {};  // as large as the run itself

  Recorder recorder(directory.seed(experiment.seed));
  recorder.cut_to(training.counters.metrics_seq, training.counters.eval_seq, training.counters.env_steps);
  directory.update_manifest({{"status", "running"}});
  note_continued(differences, training.counters.env_steps, directory, observer);
  training.save_first = !differences.empty();  // the next resume finds a checkpoint of these settings
  if (!settings.empty())
    directory.write_text("resolved.toml",
                         config::resolved_again(experiment, directory.read_text("resolved.toml").value_or("")));
  training.time(host.profile);
  return run(training, recorder, directory, identity, observer);
}

EvaluationResult evaluate_run(const Host& host, config::Experiment experiment, const run::RunDirectory& directory,
                              const EvaluationRequest& request) {
  experiment.eval.episodes = static_cast<uint32_t>(request.episodes);
  const checkpoint::Directory saved = checkpoints(experiment, directory);
  const checkpoint::Checkpoint chosen = checkpoint_named(saved, request.checkpoint);

  Training training(experiment, loader_in(host.registry), *host.table.host());
  training.restore_policies(chosen);
  EvaluationResult result;
  result.step = chosen.step;
  // Beyond every seed that the run's own evaluations can have used.
  const uint64_t first_seed = request.seed.value_or(2 * rollout::kEvaluationSeeds + (experiment.seed << 20));
  result.returns = rollout::evaluate(*training.evaluation_environment, examinees(training),
                                     training.evaluation_environment->time_limit(), request.episodes, first_seed);
  result.mean = run::mean(result.returns);
  result.iqm = run::iqm(result.returns);
  if (training.game) result.nash_conv = distance_of_greedy_play(*training.game, learners_by_agent(training)).nash_conv;
  return result;
}

}  // namespace spar::train
