// Two threads against one, by the clock on the wall: products that are shared out, parallel actors, actors beside their
// learner and shards of an environment.
#include <algorithm>
#include <thread>

#include "core/bench/bench.hpp"
#include "core/bench/simulator.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/bench/whole_run.hpp"

namespace spar::bench {
namespace {

constexpr uint32_t kThreads = 2;

/// Both in turn, several times, so that what else runs on the machine meets both; the best of each.
struct Best {
  double alone = 1e30, together = 1e30;

  template <class Measure>
  Best(int times, Measure&& measure) {
    for (int i = 0; i < times; ++i) {
      alone = std::min(alone, measure(1U));
      together = std::min(together, measure(kThreads));
    }
  }
};

struct Pair {
  const char *name, *algorithm, *options;
  bool discrete;
  double budget;  ///< largest time of two threads, as a share of the time of one
};

const Pair kPairs[] = {
    {"SAC 64x64, batch 100", "sac", "hidden_layers = [64, 64]\nprioritized = false\nbatch_size = 100", false, 1.0},
    {"SAC 256x256, batch 256", "sac", "hidden_layers = [256, 256]\nprioritized = false\nbatch_size = 256", false,
     1 / 1.35},
    {"DQN 64x64, batch 64", "dqn",
     "hidden_layers = [64, 64]\nprioritized = false\nn_steps = 1\ndueling = false\nbatch_size = 64", true, 1.0},
    {"DQN 256x256, batch 256", "dqn",
     "hidden_layers = [256, 256]\nprioritized = false\nn_steps = 1\ndueling = false\nbatch_size = 256", true, 1.0},
};

void measure_updates_together(Plugins& plugins, const Settings& settings, const Sink& sink) {
  for (const Pair& one : kPairs) {
    const Best best(3, [&](uint32_t threads) {
      return update_us(plugins, one.algorithm, one.options, one.discrete, settings.brief ? 10 : 50, 10'000, threads);
    });
    sink({.group = "threads",
          .name = std::string(one.name) + ", two threads",
          .value = best.together,
          .unit = "us",
          .limit = best.alone,
          .limit_name = "one thread",
          .budget = one.budget});
  }
}

/// Microseconds of a step, without the run's start and end.
double step_us(Plugins& plugins, const std::vector<std::string>& assignments, RunOptions options) {
  Pace pace;
  options.observer = &pace;
  whole_run(plugins, assignments, options);
  return 1e6 * pace.seconds_per_step(&Pace::Mark::elapsed, 0.2, 0.8);
}

void measure_actors(Plugins& plugins, const Settings& settings, const Sink& sink, int width, uint64_t steps,
                    double budget) {
  const std::string layer = std::to_string(width);
  const std::vector<std::string> assignments = {
      "env.id=Pendulum-v1", "env.count=128", "algorithm.id=d4pg", "algorithm.num_workers=2", "algorithm.batch_size=64",
      "algorithm.hidden_layers=[" + layer + "," + layer + "]", "algorithm.buffer_size=10_000",
      // The actors only: it learns once, after the last step that counts.
      "algorithm.warm_up=128", "algorithm.update_freq=1_000_000", stop_after(steps)};
  const Best best(settings.brief ? 3 : 5, [&](uint32_t threads) {
    RunOptions options;
    options.threads = threads;
    return step_us(plugins, assignments, options);
  });
  sink({.group = "threads",
        .name = "d4pg " + layer + "x" + layer + ", 2 actors in 128 copies on 2 threads",
        .value = best.together,
        .unit = "us a step",
        .limit = best.alone / kThreads,
        .limit_name = "on one thread, divided by 2",
        .budget = budget});
}

/// With a simulator that takes longer than learning.
void measure_simulator(Plugins& plugins, const Sink& sink, const std::string& name,
                       const std::vector<std::string>& assignments, double budget) {
  const Best best(3, [&](uint32_t threads) { return step_us(plugins, assignments, with_simulator(plugins, threads)); });
  sink({.group = "threads",
        .name = name,
        .value = best.together,
        .unit = "us a step",
        .limit = best.alone,
        .limit_name = "one thread",
        .budget = budget});
}

}  // namespace

void measure_threads(Plugins& plugins, const Settings& settings, const Sink& sink) {
  if (std::thread::hardware_concurrency() < kThreads) return;
  measure_updates_together(plugins, settings, sink);
  // Episodes end, and metrics are written, every 25,600 steps.
  measure_actors(plugins, settings, sink, 64, 256'000, 2.0);  // never slower than one thread
  measure_actors(plugins, settings, sink, 512, settings.brief ? 128'000 : 256'000, 1 / 0.8);
  const uint64_t steps = settings.brief ? 6'000 : 20'000;
  measure_simulator(
      plugins, sink, "dqn 64x64 beside a simulator of 20 us, 2 threads",
      {"env.id=bench/simulator", "algorithm.id=dqn", "algorithm.hidden_layers=[64,64]", "algorithm.batch_size=64",
       "algorithm.prioritized=false", "algorithm.n_steps=1", "algorithm.dueling=false", "algorithm.buffer_size=10_000",
       "algorithm.warm_up=100", "strategy.overlap=true", stop_after(steps)},
      1 / 1.35);
  measure_simulator(
      plugins, sink, "ppo 64x64, 16 copies of a simulator of 20 us in 2 shards, 2 threads",
      {"env.id=bench/simulator", "env.count=16", "env.shards=2", "algorithm.id=ppo", "algorithm.hidden_layers=[64,64]",
       "algorithm.rollout_length=128", "algorithm.batch_size=256", "algorithm.num_epochs=2", stop_after(10 * steps)},
      1 / 1.35);
}

}  // namespace spar::bench
