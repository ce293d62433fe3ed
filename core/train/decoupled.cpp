#include "core/train/decoupled.hpp"

#include <algorithm>
#include <exception>
#include <numeric>

#include "core/train/follow.hpp"
#include "core/train/training.hpp"

namespace spar::train {
namespace {

/// Updates that actors and workers may be apart, at least: or they would wait for each other at every step.
constexpr uint64_t kUpdatesApart = 16;

Pace::Options options_of(const Strategy::Group& group, const rollout::Learner& learner, uint64_t copies,
                         Permits* permits) {
  const spar_needs& needs = learner.needs();
  const auto rows = static_cast<double>(needs.rows_per_learn);
  Pace::Options out;
  out.workers = group.learners;
  out.permits = permits;
  if (group.apply == SPAR_APPLY_SSP) out.most_ahead = group.max_staleness;
  out.limiter.min_size = 0;  // what counts begins when there is enough
  out.limiter.samples_per_insert = group.samples_per_insert > 0
                                       ? group.samples_per_insert
                                       : needs.updates * rows / static_cast<double>(needs.learn_every);
  out.limiter.rows_per_insert = copies;
  out.limiter.rows_per_sample = needs.rows_per_learn;
  out.limiter.slack = rows * static_cast<double>(std::max<uint64_t>(needs.updates, kUpdatesApart));
  return out;
}

}  // namespace

Decoupled::Decoupled(Training& training, Permits* permits)
    : t_(training),
      permits_(permits),
      failed_([this] { end(); }),
      samples_metric_(training.metrics.define("async/samples_per_insert", SPAR_METRIC_LAST, "")),
      staleness_metric_(training.metrics.define("async/staleness_max", SPAR_METRIC_LAST, "updates")) {
  training.metrics.define("async/staleness", SPAR_METRIC_MEAN, "updates");
  for (size_t i = 0; i < t_.strategy->groups().size(); ++i) {
    rollout::Learner& learner = t_.learner(i);
    Group& group =
        groups_.emplace_back(i, options_of(t_.strategy->groups()[i], learner, t_.environment->copies(), permits));
    rollout::GradientWorkers& workers = *learner.workers();
    for (size_t w = 0; w < workers.size(); ++w)
      group.staleness.push_back(workers[w].metrics().define("async/staleness", SPAR_METRIC_MEAN, "updates"));
    group.most_lag.assign(workers.size(), 0);
    group.run = [this, &group](size_t worker) { work(group, worker); };
  }
}

void Decoupled::stretch(const std::function<uint64_t()>& step) {
  mean_return_ = t_.counters.recent_returns.empty() ? 0.0 : run::mean(t_.counters.recent_returns);
  for (Group& group : groups_) group.pace.begin(t_.counters.env_steps);
  for (Group& group : groups_) t_.learner(group.index).workers()->start(group.run, failed_);
  std::exception_ptr failure;
  // Inside a call of the crew, so that nothing of it is shared out: the other processors are the workers'.
  t_.crew.run(1, [&](size_t) {
    const Permits::Held held(permits_);
    try {
      collect(step);
    } catch (...) {
      failure = std::current_exception();
    }
    end();
  });
  for (Group& group : groups_) try {
      t_.learner(group.index).workers()->wait();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  sum_up();
  if (failure) std::rethrow_exception(failure);
}

void Decoupled::end() {
  for (Group& group : groups_) group.pace.end();
}

/// The actors' side.
void Decoupled::collect(const std::function<uint64_t()>& step) {
  const auto until = Pace::Clock::now() + kLongest;
  for (Group& group : groups_) refresh(group, true);
  do {
    for (Group& group : groups_)
      if (!group.pace.may_collect(until)) return;
    for (Group& group : groups_) refresh(group, false);
    const uint64_t done = step();
    if (done == 0) return;
    for (Group& group : groups_) {
      const rollout::Learner& learner = t_.learner(group.index);
      const uint64_t now = t_.counters.env_steps;
      group.pace.collected(done, now,
                           now >= learner.needs().warmup && learner.buffer_rows() >= learner.needs().rows_per_learn);
    }
    const Permits::Lent lent(permits_);  // whoever waits comes first
  } while (Pace::Clock::now() < until);
}

/// Actors act by the newest parameters.
void Decoupled::refresh(Group& group, bool always) {
  const uint64_t updates = group.pace.updates();
  if (!always && updates == group.acted_by) return;
  group.acted_by = updates;
  t_.learner(group.index).refresh_actors();
}

/// One gradient worker, on its thread.
void Decoupled::work(Group& group, size_t worker) {
  rollout::GradientWorkers& workers = *t_.learner(group.index).workers();
  const std::string& name = t_.strategy->groups()[group.index].name;
  workers.pull(worker);
  while (!group.pace.ended()) {
    spar_progress progress{};
    progress.struct_size = sizeof progress;
    progress.group = t_.strategy->groups()[group.index].planned;
    progress.worker = static_cast<uint32_t>(worker + 1);
    progress.env_steps = group.pace.env_steps();
    progress.learn_steps = group.pace.learn_steps(worker);
    progress.slowest_learn_steps = group.pace.slowest();
    progress.buffer_rows = t_.learner(group.index).buffer_rows();
    progress.param_version = progress.store_version = t_.params.version(name);
    progress.mean_return = mean_return_;
    progress.needs = &t_.learner(group.index).needs();
    const spar_directive directive = [&] {
      const std::scoped_lock lock(strategy_);
      return t_.strategy->next(progress);
    }();
    switch (directive.what) {
      case SPAR_DO_LEARN:
        if (!learn(group, worker, directive.amount)) return;
        break;
      case SPAR_DO_COLLECT:
        if (!group.pace.wait_for_data(progress.env_steps + std::max<uint64_t>(1, directive.amount))) return;
        break;
      case SPAR_DO_PUSH:
        publish(group);
        break;
      case SPAR_DO_PULL:
        workers.pull(worker);
        break;
      case SPAR_DO_STOP:
        stopped_ = true;
        return end();
      default:
        throw Error("E0309", Exit::crash,
                    "the strategy gave a worker of the group `" + name + "` the unknown directive " +
                        std::to_string(directive.what));
    }
  }
}

/// False: the stretch is over.
bool Decoupled::learn(Group& group, size_t worker, uint64_t times) {
  rollout::GradientWorkers& workers = *t_.learner(group.index).workers();
  for (uint64_t i = 0; i < times; ++i) {
    if (!group.pace.may_learn(worker)) return false;
    const uint64_t step = group.pace.env_steps();
    {
      const Profile::Span span(worker == 0 ? t_.profile : nullptr, Phase::update);
      workers[worker].learn(step);
    }
    const uint64_t lag = workers.lag(worker);
    workers[worker].metrics().record(group.staleness[worker], step, static_cast<double>(lag));
    group.most_lag[worker] = std::max(group.most_lag[worker], lag);
    group.pace.learnt(worker);
    const Permits::Lent lent(permits_);
  }
  return true;
}

void Decoupled::publish(Group& group) {
  const rollout::Learner& learner = t_.learner(group.index);
  learner.workers()->hold([&] { t_.params.publish(t_.strategy->groups()[group.index].name, learner.named_tensors()); });
}

void Decoupled::sum_up() {
  t_.gather_metrics();
  uint64_t most = 0;
  for (const Group& group : groups_) {
    t_.learn_steps[group.index] = group.pace.updates();
    most = std::max(most, *std::max_element(group.most_lag.begin(), group.most_lag.end()));
    const uint64_t counted = group.pace.counted();
    if (counted > 0)
      t_.metrics.record(
          samples_metric_, t_.counters.env_steps,
          static_cast<double>(t_.learner(group.index).workers()->sampled()) / static_cast<double>(counted));
  }
  const uint64_t updates = std::accumulate(t_.learn_steps.begin(), t_.learn_steps.end(), uint64_t{0});
  if (updates > 0) t_.metrics.record(staleness_metric_, t_.counters.env_steps, static_cast<double>(most));
  t_.counters.updates = updates;
}

void Decoupled::save(ByteWriter& writer) const {
  for (const Group& group : groups_) {
    group.pace.save(writer);
    writer.array<uint64_t>(group.most_lag);
  }
}

void Decoupled::load(ByteReader& reader) {
  for (Group& group : groups_) {
    group.pace.load(reader);
    reader.array<uint64_t>(group.most_lag);
  }
}

}  // namespace spar::train
