// Two threads against one, by the clock on the wall.
#include <thread>

#include "core/bench/bench.hpp"
#include "core/bench/stopwatch.hpp"

namespace spar::bench {
namespace {

struct Pair {
  const char *name, *algorithm, *options;
  bool discrete;
  double budget;  ///< largest time of two threads, as a share of the time of one
};

constexpr Pair kPairs[] = {
    {"SAC 64x64, batch 100", "sac", "hidden_layers = [64, 64]\nprioritized = false\nbatch_size = 100", false, 1.0},
    {"SAC 256x256, batch 256", "sac", "hidden_layers = [256, 256]\nprioritized = false\nbatch_size = 256", false,
     1 / 1.35},
    {"DQN 64x64, batch 64", "dqn",
     "hidden_layers = [64, 64]\nprioritized = false\nn_steps = 1\ndueling = false\nbatch_size = 64", true, 1.0},
    {"DQN 256x256, batch 256", "dqn",
     "hidden_layers = [256, 256]\nprioritized = false\nn_steps = 1\ndueling = false\nbatch_size = 256", true, 1.0},
};

}  // namespace

void measure_threads(Plugins& plugins, const Settings& settings, const Sink& sink) {
  if (std::thread::hardware_concurrency() < 2) return;
  for (const Pair& one : kPairs) {
    const int times = settings.brief ? 10 : 50;
    double alone = 1e30, together = 1e30;
    for (int turn = 0; turn < 3; ++turn) {  // in turn, so that both see the same machine
      alone = std::min(alone, update_us(plugins, one.algorithm, one.options, one.discrete, times, 10'000, 1));
      together = std::min(together, update_us(plugins, one.algorithm, one.options, one.discrete, times, 10'000, 2));
    }
    sink({.group = "threads",
          .name = std::string(one.name) + ", two threads",
          .value = together,
          .unit = "us",
          .limit = alone,
          .limit_name = "one thread",
          .budget = one.budget});
  }
}

}  // namespace spar::bench
