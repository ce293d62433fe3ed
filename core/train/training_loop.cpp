#include "core/train/training_loop.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <utility>

#include "core/rollout/evaluation.hpp"
#include "core/run/statistics.hpp"
#include "core/train/equilibrium.hpp"
#include "core/train/follow.hpp"
#include "core/train/stopping.hpp"

namespace spar::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kUnlimited = ~uint64_t{0};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Steps between two metrics lines: 200 lines a run, but never finer than 100 steps or coarser than 10,000.
uint64_t log_interval(const Training& t) {
  return t.budget.total() ? std::clamp<uint64_t>(*t.budget.total() / 200, 100, 10'000) : 1'000;
}

/// The clock of one start of the loop; Counters::seconds holds what earlier starts took.
class Watch {
 public:
  explicit Watch(const Training& t)
      : begin_(Clock::now()), before_(t.counters.seconds), mark_(begin_), mark_steps_(t.counters.env_steps) {}

  double seconds() const { return before_ + seconds_between(begin_, Clock::now()); }

  /// True about ten times a second; then steps_per_second() is that of the interval just ended.
  bool tick(uint64_t env_steps) {
    const auto now = Clock::now();
    const double elapsed = seconds_between(mark_, now);
    if (elapsed < 0.1) return false;
    speed_ = static_cast<double>(env_steps - mark_steps_) / elapsed;
    mark_ = now;
    mark_steps_ = env_steps;
    return true;
  }
  double steps_per_second() const { return speed_; }

 private:
  Clock::time_point begin_;
  double before_;
  Clock::time_point mark_;
  uint64_t mark_steps_;
  double speed_ = 0;
};

uint64_t total(const std::vector<uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

Progress progress_of(const Training& t, const Watch& watch) {
  Progress progress;
  progress.env_steps = t.counters.env_steps;
  progress.train_steps = total(t.learn_steps);
  progress.episodes = t.counters.episodes;
  progress.budget = t.budget.total();
  progress.seconds = watch.seconds();
  progress.steps_per_second = watch.steps_per_second();
  if (!t.counters.recent_returns.empty()) progress.recent_return = run::mean(t.counters.recent_returns);
  return progress;
}

[[noreturn]] void diverged(const std::string& what, checkpoint::Writer& writer) {
  writer.flush();  // what was handed over before counts
  const auto saved = writer.directory().steps();
  const std::string last = saved.empty() ? "there is no checkpoint yet"
                                         : "the last good checkpoint is " + writer.directory().name(saved.back());
  throw Error("E0302", Exit::failed, what + "; " + last).help(kDivergedHelp);
}

/// Nothing that is not finite may be published or saved.
void check_finite(const Training& t, checkpoint::Writer& writer) {
  if (t.metrics.broken()) diverged(t.metrics.broken_text(), writer);
}

/// An algorithm may record no metric at all, and a step of the optimiser may overflow with the last loss still finite.
void check_networks(const Training& t, checkpoint::Writer& writer) {
  for (const auto& learner : t.learners) {
    if (const nn::Network* broken = learner->networks().not_finite())
      diverged("the network `" + broken->name() + "` of `" + learner->name() + "` is not finite at step " +
                   std::to_string(t.counters.env_steps),
               writer);
  }
}

void learn(Training& t, size_t group, uint64_t times, checkpoint::Writer& writer) {
  const size_t end = group + t.strategy->members(group);
  for (uint64_t i = 0; i < times; ++i) {
    try {
      const Profile::Span span(t.profile, Phase::update);
      if (t.teams[group])
        t.teams[group]->learn(t.counters.env_steps);
      else
        t.learner(group).learn(t.counters.env_steps);
    } catch (const Error&) {
      t.gather_metrics();
      check_finite(t, writer);  // a loss that is not finite says more than the gradient norm that was refused for it
      throw;
    }
    for (size_t member = group; member < end; ++member) ++t.learn_steps[member];
    check_finite(t, writer);
  }
  t.gather_metrics();
  t.counters.updates = total(t.learn_steps);
  if (t.strategy->beside()) return;
  for (size_t member = group; member < end; ++member)
    t.learner(member).refresh_actors();  // parallel actors go on with what was just learnt
}

/// Does what the strategy says for one group of the plan, the first of which is `group`, until it wants data; returns
/// how many transitions, 0 = it wants to stop.
uint64_t follow_group(Training& t, size_t group, checkpoint::Writer& writer) {
  const auto& groups = t.strategy->groups();
  const std::string& name = groups[group].name;
  rollout::Learner& learner = t.learner(group);
  const auto standing = [&] {
    return standing_of(groups[group].planned, learner, t.counters.env_steps, t.learn_steps[group],
                       t.params.version(name), t.counters.recent_returns);
  };
  const auto push = [&] {
    check_finite(t, writer);  // acting may have recorded something since the last update
    const Profile::Span span(t.profile, Phase::publish);
    for (size_t member = group; member < group + t.strategy->members(group); ++member)
      t.params.publish(groups[member].name, t.learner(member).named_tensors());
  };
  const auto learn_now = [&](uint64_t times) {
    if (t.decoupled)
      throw Error("E0309", Exit::crash,
                  "the strategy lets the actors of the group `" + name +
                      "` learn, which has gradient workers of its own speed for that");
    learn(t, group, times, writer);
  };
  return follow(*t.strategy, name, standing, learn_now, push);
}

/// The fewest transitions that any group wants; 0 if a group wants to stop.
uint64_t follow_all(Training& t, checkpoint::Writer& writer) {
  const uint64_t updates = t.counters.updates;
  uint64_t wanted = kUnlimited;
  for (size_t group = 0; group < t.learn_steps.size(); group += t.strategy->members(group))
    wanted = std::min(wanted, follow_group(t, group, writer));
  t.wish = t.counters.updates > updates ? wanted : 0;
  return wanted;
}

/// Something to be done at fixed counts of transitions, so that a resumed run does it at the same ones. When it is due
/// next is part of the saved counters.
class Duty {
 public:
  /// every: 0 = never by steps.
  Duty(checkpoint::Counters& counters, const char* name, uint64_t every)
      : every_(every), next_(counters.due.try_emplace(name, every).first->second) {}

  /// Is it due? If so, sets when it is due next.
  bool due(uint64_t env_steps) {
    if (every_ == 0 || env_steps < next_) return false;
    next_ = (env_steps / every_ + 1) * every_;
    return true;
  }
  /// The same, and nothing is set.
  bool now(uint64_t env_steps) const { return every_ > 0 && env_steps >= next_; }
  /// Transitions until it is due.
  uint64_t until(uint64_t env_steps) const {
    if (every_ == 0) return kUnlimited;
    return next_ > env_steps ? next_ - env_steps : 1;
  }

 private:
  uint64_t every_;
  uint64_t& next_;
};

struct Duties {
  Duty log, evaluate, save;

  explicit Duties(Training& t)
      : log(t.counters, "log", log_interval(t)),
        evaluate(t.counters, "evaluate", t.experiment.eval.every),
        save(t.counters, "save", t.experiment.checkpoint.every_steps) {}

  bool now(uint64_t env_steps) const { return log.now(env_steps) || evaluate.now(env_steps) || save.now(env_steps); }
  uint64_t until_next(uint64_t env_steps) const {
    return std::min({log.until(env_steps), evaluate.until(env_steps), save.until(env_steps)});
  }
};

void log_metrics(Training& t, Recorder& recorder, Observer& observer) {
  const auto values = t.metrics.drain();
  if (values.empty()) return;
  t.counters.metrics_seq = recorder.metrics(t.counters.env_steps, values);
  observer.logged(t.counters.env_steps, values);
}

/// The metrics of finished episodes.
struct EpisodeMetrics {
  uint32_t episode_return, length;
};

void count_episodes(Training& t, EpisodeMetrics metrics) {
  for (const rollout::Episode& episode : t.worker->finished()) {
    t.metrics.record(metrics.episode_return, t.counters.env_steps, episode.episode_return);
    t.metrics.record(metrics.length, t.counters.env_steps, static_cast<double>(episode.length));
    if (episode.agent != 0) continue;
    ++t.counters.episodes;
    remember_return(t.counters.recent_returns, episode.episode_return);
  }
}

void count_steps(Training& t, uint64_t done) {
  t.counters.env_steps += done;
  t.budget.advance_to(t.counters.env_steps);
}

/// A stretch in which gradient workers learn as fast as they can and may.
void collect_while_learning(Training& t, const std::function<uint64_t()>& step, checkpoint::Writer& writer) {
  try {
    t.decoupled->stretch(step);
  } catch (const Error&) {
    check_finite(t, writer);  // as above
    throw;
  }
}

/// Collects `wanted` transitions, at most up to the next duty and never beyond the end. `unstepped` is told of the
/// first step and is nullptr from then on.
void collect(Training& t, uint64_t wanted, const Duties& duties, EpisodeMetrics metrics, Observer*& unstepped,
             checkpoint::Writer& writer) {
  uint64_t left = std::min(wanted, duties.until_next(t.counters.env_steps));
  const auto step = [&]() -> uint64_t {
    const uint64_t most = transitions_left(t.experiment.stop, t.counters.env_steps);
    if (left == 0 || most == 0) return 0;
    const uint64_t done = t.worker->step(t.counters.env_steps, most);
    if (unstepped != nullptr) std::exchange(unstepped, nullptr)->stepped();
    t.worker->settle();
    count_episodes(t, metrics);
    count_steps(t, done);
    left -= std::min(left, done);
    return done;
  };
  if (t.decoupled) return collect_while_learning(t, std::ref(step), writer);  // which allocates nothing
  while (step() > 0) {
  }
}

/// Transitions to be collected while the phase that is due learns: as many as were asked for after the phase before, so
/// that what happens does not depend on who is faster. None where a duty or the end is due: those look at what was
/// learnt.
uint64_t transitions_beside(const Training& t, const Duties& duties) {
  const uint64_t now = t.counters.env_steps;
  if (!t.strategy->beside() || t.decoupled || duties.now(now)) return 0;
  return std::min({t.wish, duties.until_next(now), transitions_left(t.experiment.stop, now)});
}

/// Learns what there is to learn; returns how many transitions the strategy wants then. Where actors run beside the
/// learners, some are collected at the same time, with the parameters of before, and `done` says how many.
uint64_t learn_and_collect(Training& t, const Duties& duties, EpisodeMetrics metrics, checkpoint::Writer& writer,
                           uint64_t& done) {
  done = 0;
  const uint64_t beside = transitions_beside(t, duties), begin = t.counters.env_steps, updates = t.counters.updates;
  uint64_t wanted = 0;
  if (beside == 0) {
    wanted = follow_all(t, writer);
  } else {
    t.worker->begin_round();
    t.crew.run(2, [&](size_t task) {
      if (task == 0)
        wanted = follow_all(t, writer);
      else
        while (done < beside) done += t.worker->step(begin + done, transitions_left(t.experiment.stop, begin + done));
    });
    t.worker->settle();
    count_episodes(t, metrics);
    count_steps(t, done);
  }
  if (t.strategy->beside() && t.counters.updates > updates)
    for (const auto& learner : t.learners) learner->refresh_actors();
  return wanted;
}

}  // namespace

EvaluationResult evaluate_now(Training& t, Recorder& recorder, Observer& observer) {
  const Profile::Span span(t.profile, Phase::evaluate);
  EvaluationResult result;
  result.step = t.counters.env_steps;
  const uint64_t first_seed =
      rollout::kEvaluationSeeds + (t.experiment.seed << 20) + t.evaluations.size() * t.experiment.eval.episodes;
  result.returns = rollout::evaluate(*t.evaluation_environment, examinees(t), t.evaluation_environment->time_limit(),
                                     t.experiment.eval.episodes, first_seed);
  if (t.game) result.nash_conv = distance_of_greedy_play(*t.game, learners_by_agent(t)).nash_conv;
  const auto statistics = run::evaluate(result.returns, t.experiment.seed);
  result.mean = statistics.mean;
  result.iqm = statistics.iqm;
  // Where what one wins the other loses, returns say nothing.
  const bool by_distance = result.nash_conv && t.game->form.zero_sum;
  result.best = by_distance ? !t.best_nash_conv || *result.nash_conv < *t.best_nash_conv
                            : !t.counters.best_return || result.mean > *t.counters.best_return;
  if (result.best) {
    t.best_nash_conv = result.nash_conv;
    t.counters.best_return = result.mean;
    t.counters.best_step = result.step;
  }
  t.evaluations.push_back(result.mean);
  t.evaluated_at = result.step;
  t.last_returns = result.returns;
  t.nash_conv = result.nash_conv;
  t.counters.eval_seq = recorder.evaluation(result.step, result.returns, statistics, result.nash_conv);
  observer.evaluated(result);
  return result;
}

LoopResult run_loop(Training& t, Recorder& recorder, checkpoint::Writer& writer, const std::string& manifest,
                    Observer& observer) {
  Duties duties(t);
  const EpisodeMetrics metrics{t.metrics.define("episode/return", SPAR_METRIC_MEAN, ""),
                               t.metrics.define("episode/length", SPAR_METRIC_MEAN, "steps")};
  t.counters.recent_returns.reserve(kRecentReturns);
  Watch watch(t);
  double saved_at = watch.seconds();
  bool first = t.counters.env_steps == 0 || t.save_first;
  Observer* unstepped = &observer;

  const auto save = [&](bool best) {
    const Profile::Span span(t.profile, Phase::checkpoint);
    check_networks(t, writer);
    t.counters.seconds = watch.seconds();
    recorder.sync();  // the lines that the checkpoint counts reach the disk before it
    writer.flush();   // one copy of the state at a time: memory holds no third
    writer.submit(t.counters.env_steps, t.snapshot(manifest), best);
    saved_at = watch.seconds();
  };
  const auto finish = [&](Ending ending, std::string reason) {
    t.counters.seconds = watch.seconds();
    observer.progressed(progress_of(t, watch));
    return LoopResult{ending, std::move(reason)};
  };

  for (;;) {
    bool improved = false, wants_more = true;
    // What was collected while learning has not been learnt from: duties and the end wait for that.
    uint64_t beside = 0;
    if (t.pending == 0) {
      // Learn what there is to learn; what remains is a wish for data.
      const uint64_t wanted = learn_and_collect(t, duties, metrics, writer, beside);
      wants_more = wanted > 0;
      t.pending = beside == 0 ? wanted : 0;  // or it is asked again, at what is a fixed step for duties too
      if (beside == 0 && duties.log.due(t.counters.env_steps)) log_metrics(t, recorder, observer);
      if (beside == 0 && duties.evaluate.due(t.counters.env_steps)) improved = evaluate_now(t, recorder, observer).best;
    }
    // Also asked right after a restore: the checkpoint may be the last one of a run that was killed before its summary.
    std::optional<std::string> stop;
    if (beside == 0)
      stop = fired(t.experiment.stop,
                   {t.counters.env_steps, t.counters.updates, t.counters.episodes, watch.seconds(), &t.evaluations});
    if (t.decoupled && t.decoupled->stopped()) wants_more = false;
    if (!stop && !wants_more) stop = "strategy";
    if (stop) {  // the result belongs to the last parameters
      if (t.evaluated_at != t.counters.env_steps) improved = evaluate_now(t, recorder, observer).best;
      log_metrics(t, recorder, observer);
    }

    // Between two steps: the only place where the whole state is saved, so that every save continues the same way.
    const double now = watch.seconds();
    const bool by_time =
        t.experiment.checkpoint.every_seconds > 0 && now - saved_at >= t.experiment.checkpoint.every_seconds;
    const bool by_steps = beside == 0 && duties.save.due(t.counters.env_steps);
    const Interruption interruption = observer.interruption();
    if (interruption == Interruption::abandon) return finish(Ending::abandoned, "interrupted");
    check_finite(t, writer);
    if (first || improved || by_time || by_steps || stop || interruption != Interruption::none) save(improved);
    for (const auto& outcome : writer.poll()) observer.saved(outcome);
    if (stop) return finish(Ending::completed, *stop);
    if (interruption == Interruption::save_and_stop) return finish(Ending::stopped, "interrupted");
    if (interruption == Interruption::preempt) return finish(Ending::preempted, "preempted");
    if (first) writer.flush();  // a run that is killed at any later moment can be resumed
    first = false;

    const uint64_t wanted = t.pending;
    t.pending = 0;
    collect(t, wanted, duties, metrics, unstepped, writer);
    if (watch.tick(t.counters.env_steps)) observer.progressed(progress_of(t, watch));
  }
}

}  // namespace spar::train
