#include "core/train/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/base/hash.hpp"
#include "core/checkpoint/state.hpp"
#include "core/train/equilibrium.hpp"
#include "core/train/groups.hpp"

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

std::vector<std::unique_ptr<rollout::Joined>> join_agents(const config::Experiment& experiment,
                                                          rollout::Environment& environment,
                                                          const std::vector<Strategy::Group>& groups) {
  std::vector<std::unique_ptr<rollout::Joined>> out;
  for (const auto& group : groups) {
    out.emplace_back();
    if (group.join == SPAR_JOIN_NONE || group.join == SPAR_JOIN_CENTRAL) continue;
    const auto how = group.join == SPAR_JOIN_ROWS ? rollout::Join::rows : rollout::Join::joint;
    try {
      out.back() = std::make_unique<rollout::Joined>(environment, group.name, group.agents, how);
    } catch (const Error& error) {
      throw placed(error, experiment, group);
    }
  }
  return out;
}

std::vector<std::unique_ptr<rollout::Central>> central_teams(const config::Experiment& experiment,
                                                             rollout::Environment& environment,
                                                             const Strategy& strategy) {
  std::vector<std::unique_ptr<rollout::Central>> out(strategy.groups().size());
  for (size_t group = 0; group < out.size(); ++group) {
    if (strategy.members(group) < 2) continue;
    const Strategy::Group& planned = strategy.groups()[group];
    try {
      out[group] = std::make_unique<rollout::Central>(environment, planned.team, experiment.seed);
    } catch (const Error& error) {
      throw placed(error, experiment, planned);
    }
  }
  return out;
}

/// Indices of the groups in the order of their first agents, which is that of seats, checkpoints and hashes.
std::vector<size_t> in_order_of_agents(const std::vector<Strategy::Group>& groups) {
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto first = [&](size_t group) {
    return *std::min_element(groups[group].agents.begin(), groups[group].agents.end());
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return first(a) < first(b); });
  return order;
}

/// Who plays each agent of the environment whose agents `joined` joins.
std::vector<rollout::Participant> participants(const Training& t,
                                               const std::vector<std::unique_ptr<rollout::Joined>>& joined) {
  std::vector<rollout::Participant> out(t.environment->agents().size());
  for (size_t group = 0; group < joined.size(); ++group)
    for (const uint32_t agent : t.strategy->groups()[group].agents)
      out[agent] = {&t.learner(group), nullptr, joined[group].get()};
  return out;
}

/// Threads that have something to do at the same time, at most.
size_t busiest(const Strategy& strategy) {
  size_t most = 1, all = 1;
  for (const Strategy::Group& group : strategy.groups()) {
    most = std::max<size_t>(most, group.learners);
    all += group.learners;
  }
  return strategy.decoupled() ? all : most;
}

/// A rollout is learnt from once, whatever is asked for. Throws E0308.
void check_samples_per_insert(const Strategy& strategy, const Strategy::Group& group, const rollout::Learner& learner) {
  if (group.samples_per_insert == 0 || learner.needs().buffer_kind != SPAR_BUF_ROLLOUT) return;
  throw Error("E0308", Exit::usage,
              strategy.label() + " plans the group `" + group.name + "` with samples_per_insert, and " +
                  learner.label() + " learns once from what its newest policy did, not from a replay memory")
      .help("leave `samples_per_insert` of the strategy out");
}

}  // namespace

Training::Training(const config::Experiment& e, const ComponentLoader& load, const spar_host& host, uint32_t threads)
    : experiment(e), budget(e.stop.budget()), crew(threads) {
  environment = make_environment(e, load, host, e.env.count, "environment", {e.env.shards, &crew});
  evaluation_environment =
      make_environment(e, load, host, std::min<uint64_t>(e.eval.episodes, kEvaluationCopies), "environment/evaluation");

  const config::ConfigView env_view(e.env.options);
  game = judged_game(*environment, host, load(SPAR_KIND_ENV, e.env.id), *env_view.get());
  strategy = make_strategy(e, load, host, *environment, e.seed);
  const auto& groups = strategy->groups();
  learn_steps.assign(groups.size(), 0);
  joined = join_agents(e, *environment, groups);
  evaluation_joined = join_agents(e, *evaluation_environment, groups);
  teams = central_teams(e, *environment, *strategy);
  const auto joint = [](const Strategy::Group& group) { return group.join == SPAR_JOIN_JOINT; };
  if (game && std::any_of(groups.begin(), groups.end(), joint)) {
    game = nullptr;
    why_not_judged = "players who choose together have no strategies of their own";
  }

  if (busiest(*strategy) > crew.threads()) permits = std::make_unique<Permits>(crew.threads());

  learner_of.resize(groups.size());
  for (const size_t index : in_order_of_agents(groups)) {
    const Strategy::Group& group = groups[index];
    const config::AlgorithmConfig& algorithm = algorithm_of(e, group);
    const config::ConfigView algorithm_view(algorithm.options);
    const uint64_t rows = joined[index] ? joined[index]->rows_per_copy() : 1;
    rollout::LearnerSetup setup;
    setup.name = "learner/" + group.name;
    setup.host = &host;
    setup.component = &load(SPAR_KIND_ALGO, algorithm.id);
    setup.load = load;
    setup.config = algorithm_view.get();
    setup.agent = joined[index] ? &joined[index]->port() : &environment->agents()[group.agents[0]];
    setup.lanes = environment->copies() * rows;
    setup.max_rows = std::max(
        {setup.lanes, evaluation_environment->copies() * rows, game ? uint64_t{game::kAskedTogether} : uint64_t{0}});
    setup.root_seed = e.seed;
    setup.params = &params;
    setup.metrics = &metrics;
    setup.budget = &budget;
    setup.crew = &crew;
    setup.beside = strategy->beside();
    if (!group.team.empty()) {
      size_t leader = index;
      while (!teams[leader]) --leader;
      setup.central = &teams[leader]->seat(index - leader);
      setup.max_rows = std::max(setup.max_rows, rollout::kTargetsTogether);
    }
    for (uint32_t i = 0; i < group.learners && (group.learners > 1 || strategy->decoupled()); ++i)
      setup.worker_metrics.push_back(worker_metrics.emplace_back(std::make_unique<Metrics>()).get());
    setup.asynchronous = strategy->decoupled();
    setup.permits = permits.get();
    learner_of[index] = learners.size();
    learners.push_back(std::make_unique<rollout::Learner>(setup));
    check_samples_per_insert(*strategy, group, *learners.back());
  }
  worker = std::make_unique<rollout::Worker>(*environment, participants(*this, joined), environment->time_limit(),
                                             e.seed, strategy->beside());
  if (strategy->decoupled()) decoupled = std::make_unique<Decoupled>(*this, permits.get());
}

void Training::gather_metrics() {
  for (const auto& recorded : worker_metrics) metrics.absorb(*recorded);
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
  if (decoupled) out.sections.push_back(state_section("decoupled", [&](ByteWriter& w) { decoupled->save(w); }));
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
  if (decoupled) read_state(saved, "decoupled", [&](ByteReader& r) { decoupled->load(r); });
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
  if (decoupled)
    return strategy->label() + " lets actors and learners go each at its own speed, which is another one every time";
  if (environment->has_state()) return "";
  return environment->name() + " does not offer " + SPAR_EXT_ENV_STATE + ": its episodes cannot be saved";
}

std::vector<rollout::Participant> examinees(const Training& training) {
  return participants(training, training.evaluation_joined);
}

std::vector<rollout::Learner*> learners_by_agent(const Training& training) {
  std::vector<rollout::Learner*> out;
  for (const rollout::Participant& participant : examinees(training)) out.push_back(participant.learner);
  return out;
}

}  // namespace spar::train
