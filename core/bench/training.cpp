// Whole trainings, with all that a run does, against the time of their updates alone.
#include <algorithm>
#include <limits>

#include "core/bench/bench.hpp"
#include "core/bench/fma_peak.hpp"
#include "core/bench/necessary.hpp"
#include "core/bench/whole_run.hpp"

namespace spar::bench {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

Run fastest(Plugins& plugins, const std::vector<std::string>& assignments, int times) {
  Run best = whole_run(plugins, assignments);
  for (int i = 1; i < times; ++i)
    if (const Run next = whole_run(plugins, assignments); next.seconds < best.seconds) best = next;
  return best;
}

void put(const Sink& sink, const std::string& name, const Run& run, double limit, std::string limit_name, double budget,
         double held = std::numeric_limits<double>::quiet_NaN()) {
  sink({.group = "training",
        .name = name + ", " + std::to_string(run.steps) + " steps",
        .value = run.seconds,
        .unit = "s",
        .limit = limit,
        .limit_name = std::move(limit_name),
        .budget = budget,
        .held = held});
}

/// Off-policy, one update per step.
void measure_off_policy(Plugins& plugins, const Settings& settings, const Sink& sink, const std::string& algorithm,
                        const std::string& environment, const std::string& rest, int batch, uint64_t steps,
                        double budget) {
  const std::string size = std::to_string(batch);
  const int times = settings.brief ? 2 : 3;
  std::vector<std::string> assignments = {
      "env.id=" + environment,           "algorithm.id=" + algorithm,
      "algorithm.hidden_layers=[64,64]", "algorithm.prioritized=false",
      "algorithm.batch_size=" + size,    "algorithm.buffer_size=" + std::to_string(steps),
      "algorithm.warm_up=" + size,       stop_after(steps)};
  std::string options = "hidden_layers=[64,64]\nprioritized=false\nbatch_size=" + size;
  if (!rest.empty()) {
    for (size_t at = 0; at < rest.size();) {
      const size_t end = std::min(rest.find('\n', at), rest.size());
      assignments.push_back("algorithm." + rest.substr(at, end - at));
      at = end + 1;
    }
    options += "\n" + rest;
  }
  // In turns and for as long: the best of many short pieces would never meet what slows a second down.
  Run run = whole_run(plugins, assignments);
  double alone = kNever;
  const uint64_t updates = run.updates / 10 * 10;
  for (int i = 0; i < times; ++i) {
    if (i > 0)
      if (const Run next = whole_run(plugins, assignments); next.seconds < run.seconds) run = next;
    alone = std::min(alone, updates_seconds(plugins, algorithm, options, algorithm == "dqn", updates, steps));
  }
  if (algorithm == "dqn") {
    Profile profile;
    RunOptions profiled;
    profiled.profile = &profile;
    Run timed = whole_run(plugins, assignments, profiled);
    for (int i = 1; i < times; ++i)
      timed.seconds = std::min(timed.seconds, whole_run(plugins, assignments, profiled).seconds);
    put(sink, "dqn with --profile", timed, run.seconds, "without", 1.02, 1.2);
  }
  put(sink, algorithm + " " + environment + " 64x64, batch " + size, run,
      alone * static_cast<double>(run.updates) / static_cast<double>(updates), "its updates alone", budget);
}

void measure_ppo(Plugins& plugins, const Settings& settings, const Sink& sink) {
  constexpr double kPhase = 4096, kEpochs = 2;
  const uint64_t steps = settings.brief ? 40'960 : 307'200;
  const Run run = fastest(plugins,
                          {"env.id=Pendulum-v1", "env.count=4", "algorithm.id=ppo", "algorithm.hidden_layers=[64,64]",
                           "algorithm.rollout_length=1024", "algorithm.batch_size=256", "algorithm.num_epochs=2",
                           "algorithm.actor_number_updates=1", "algorithm.critic_number_updates=1", stop_after(steps)},
                          settings.brief ? 2 : 3);
  const Mlp actor{{3, 64, 64, 1}}, critic{{3, 64, 64, 1}};
  const double phases = static_cast<double>(run.steps) / kPhase;
  // What the policy gave when it acted is all that the appraisal needs of it.
  const double flops = phases * ppo_flops(actor, critic, kPhase, kEpochs);
  const double peak = fma_peak_gflops(5);
  put(sink, "ppo Pendulum-v1 64x64, batch 256, 2 epochs", run,
      peak > 0 ? flops / peak * 1e-9 : std::numeric_limits<double>::quiet_NaN(), "L, FLOPs at peak", 1.75, 2.3);
}

}  // namespace

void measure_training(Plugins& plugins, const Settings& settings, const Sink& sink) {
  const uint64_t sac_steps = settings.brief ? 3'000 : 10'000, dqn_steps = settings.brief ? 10'000 : 50'000;
  measure_off_policy(plugins, settings, sink, "sac", "Pendulum-v1", "", 100, sac_steps, 1.10);
  measure_off_policy(plugins, settings, sink, "dqn", "CartPole-v1", "n_steps=1\ndueling=false", 64, dqn_steps, 1.25);
  measure_ppo(plugins, settings, sink);
}

}  // namespace spar::bench
