#include "core/train/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/hash.hpp"
#include "core/checkpoint/state.hpp"
#include "core/train/equilibrium.hpp"

namespace spar::train {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  ///< of an optional number in a checkpoint

using checkpoint::read_beginning, checkpoint::read_state, checkpoint::state_section;

std::unique_ptr<rollout::Environment> make_environment(const config::Experiment& experiment,
                                                       const ComponentLoader& load, const spar_host& host,
                                                       uint64_t copies, const std::string& stream,
                                                       rollout::Shards shards = {}) {
  const config::ConfigView view(experiment.env.options);
  return std::make_unique<rollout::Environment>(host, load(SPAR_KIND_ENV, experiment.env.id), *view.get(), copies,
                                                experiment.seed, stream, shards);
}

}  // namespace

Training::Training(const config::Experiment& e, const ComponentLoader& load, const spar_host& host, uint32_t threads)
    : experiment(e), budget(e.stop.budget()), crew(threads) {
  environment = make_environment(e, load, host, e.env.count, "environment", {e.env.shards, &crew});
  evaluation_environment =
      make_environment(e, load, host, std::min<uint64_t>(e.eval.episodes, kEvaluationCopies), "environment/evaluation");

  const config::ConfigView env_view(e.env.options), strategy_view(e.strategy.options),
      algorithm_view(e.algorithm.options);
  game = judged_game(*environment, host, load(SPAR_KIND_ENV, e.env.id), *env_view.get());
  strategy = std::make_unique<Strategy>(host, load(SPAR_KIND_STRATEGY, e.strategy.id), *strategy_view.get(),
                                        environment->world(), e.seed);
  learn_steps.assign(strategy->groups().size(), 0);

  learners.resize(environment->agents().size());
  for (const auto& group : strategy->groups()) {
    rollout::LearnerSetup setup;
    setup.name = "learner/" + group.name;
    setup.host = &host;
    setup.component = &load(SPAR_KIND_ALGO, e.algorithm.id);
    setup.load = load;
    setup.config = algorithm_view.get();
    setup.agent = &environment->agents()[group.agent];
    setup.lanes = environment->copies();
    setup.max_rows = std::max(
        {environment->copies(), evaluation_environment->copies(), game ? uint64_t{game::kAskedTogether} : uint64_t{0}});
    setup.root_seed = e.seed;
    setup.params = &params;
    setup.metrics = &metrics;
    setup.budget = &budget;
    setup.crew = &crew;
    setup.beside = strategy->beside();
    learners[group.agent] = std::make_unique<rollout::Learner>(setup);
  }
  std::vector<rollout::Participant> participants;
  for (const auto& learner : learners) participants.push_back({learner.get(), nullptr});
  worker = std::make_unique<rollout::Worker>(*environment, std::move(participants), environment->time_limit(), e.seed,
                                             strategy->beside());
}

void Training::time(Profile* with) {
  profile = with;
  worker->time(with);
  for (const auto& learner : learners) learner->time(with);
}

void Training::start() { worker->start(experiment.seed); }

checkpoint::Checkpoint Training::snapshot(std::string manifest) const {
  checkpoint::Checkpoint out;
  out.step = counters.env_steps;
  out.manifest = std::move(manifest);
  out.sections.push_back({"counters", checkpoint::kState, checkpoint::pack(counters)});
  out.sections.push_back(state_section("loop", [&](ByteWriter& w) {
    w.put(pending);
    w.put(wish);
    w.put(evaluated_at);
    w.array<uint64_t>(learn_steps);
    w.array<double>(evaluations);
    w.array<double>(last_returns);
    for (const auto& distance : {nash_conv, best_nash_conv}) w.put(distance.value_or(kNone));
  }));
  out.sections.push_back(state_section("metrics", [&](ByteWriter& w) { metrics.save(w); }));
  out.sections.push_back(state_section("params", [&](ByteWriter& w) { params.save(w); }));
  out.sections.push_back(state_section("strategy", [&](ByteWriter& w) { strategy->save(w); }));
  if (environment->has_state())
    out.sections.push_back(state_section("worker", [&](ByteWriter& w) { worker->save(w); }));
  for (const auto& learner : learners)
    out.sections.push_back(state_section(learner->name(), [&](ByteWriter& w) {
      w.reserve(learner->saved_bytes());
      learner->save(w);
    }));
  return out;
}

void Training::restore(const checkpoint::Checkpoint& saved) {
  counters = checkpoint::unpack_counters(saved.section("counters").data, "counters");
  read_state(saved, "loop", [&](ByteReader& r) {
    pending = r.get<uint64_t>();
    wish = r.get<uint64_t>();
    evaluated_at = r.get<uint64_t>();
    r.array<uint64_t>(learn_steps);
    evaluations = r.vector<double>();
    last_returns = r.vector<double>();
    for (auto* distance : {&nash_conv, &best_nash_conv}) {
      const auto number = r.get<double>();
      *distance = std::isfinite(number) ? std::optional(number) : std::nullopt;
    }
  });
  read_state(saved, "metrics", [&](ByteReader& r) { metrics.load(r); });
  read_state(saved, "params", [&](ByteReader& r) { params.load(r); });
  read_state(saved, "strategy", [&](ByteReader& r) { strategy->load(r); });
  for (const auto& learner : learners) {
    read_state(saved, learner->name(), [&](ByteReader& r) { learner->load(r); });
  }
  if (environment->has_state()) {
    read_state(saved, "worker", [&](ByteReader& r) { worker->load(r); });
  } else {
    for (const auto& learner : learners) learner->cut();  // or a window would go on in another episode
    worker->start(experiment.seed + counters.env_steps);
  }
  budget.advance_to(counters.env_steps);
}

void Training::restore_policies(const checkpoint::Checkpoint& saved) {
  for (const auto& learner : learners)
    read_beginning(saved, learner->name(), [&](ByteReader& r) { learner->load_policy(r); });
}

std::string Training::parameters_sha256() const {
  Sha256 hash;
  for (const auto& learner : learners) {
    const std::string one = learner->parameters_sha256();
    if (learners.size() == 1) return one;
    hash.update(std::as_bytes(std::span(one.data(), one.size())));
  }
  return hash.hex();
}

uint64_t Training::memory_bytes() const {
  // Workers and evaluations keep observations and actions of every copy beside the environment's own.
  uint64_t bytes = 3 * (environment->memory_bytes() + evaluation_environment->memory_bytes());
  for (const auto& learner : learners) bytes += learner->memory_bytes();
  return bytes + checkpoint_bytes();
}

uint64_t Training::checkpoint_bytes() const {
  uint64_t bytes = environment->memory_bytes();
  for (const auto& learner : learners) bytes += learner->saved_bytes() + learner->published_bytes();
  return bytes;
}

std::vector<std::string> Training::backends() const {
  std::set<std::string> ids;
  for (const auto& learner : learners)
    for (const std::string& id : learner->networks().backends()) ids.insert(id);
  return {ids.begin(), ids.end()};
}

std::string Training::why_not_resumable() const {
  if (environment->has_state()) return "";
  return environment->name() + " does not offer " + SPAR_EXT_ENV_STATE + ": its episodes cannot be saved";
}

std::vector<rollout::Learner*> learner_pointers(const Training& training) {
  std::vector<rollout::Learner*> out;
  for (const auto& learner : training.learners) out.push_back(learner.get());
  return out;
}

}  // namespace spar::train
