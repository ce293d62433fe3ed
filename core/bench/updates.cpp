// Whole updates of every algorithm, through their plugins, against the operations that they cannot do without.
#include <vector>

#include "core/agent/agent.hpp"
#include "core/base/text.hpp"
#include "core/bench/bench.hpp"
#include "core/bench/fma_peak.hpp"
#include "core/bench/necessary.hpp"
#include "core/rng/philox.hpp"

namespace spar::bench {
namespace {

constexpr int kUpdates = 10;  // in one measurement

/// Random transitions into the agent's memory; one in nine ends an episode.
void fill(Agent& agent, bool discrete, uint64_t transitions) {
  Philox random(7, "bench/transitions");
  const size_t width = discrete ? 4 : 3;
  std::vector<float> obs(width), next(width);
  std::vector<int64_t> choice(1);
  std::vector<float> box(1);
  for (float& x : obs) x = static_cast<float>(random.normal());
  for (uint64_t i = 0; i < transitions; ++i) {
    for (float& x : next) x = static_cast<float>(random.normal());
    choice[0] = static_cast<int64_t>(random.below(2));
    box[0] = static_cast<float>(2 * random.uniform() - 1);
    Transition transition{obs, discrete ? Numbers(choice) : Numbers(box), static_cast<float>(random.normal()), next};
    transition.terminated = i % 9 == 8;
    agent.step(transition);
    obs = next;
  }
}

struct Case {
  const char *name, *algorithm;
  std::string options;
  bool discrete;
  double flops;  ///< necessary, of one update
  double budget;
};

std::string hidden(int width) {
  return "hidden_layers = [" + std::to_string(width) + ", " + std::to_string(width) + "]\n";
}

Mlp mlp(double in, double width, double out) { return {{in, width, width, out}}; }

const std::string kUniform = "prioritized = false\n";
const std::string kPlainDqn = kUniform + "n_steps = 1\ndueling = false\nbatch_size = ";

constexpr double kPhase = 2047;  // transitions of one phase of PPO

std::vector<Case> cases() {
  return {
      {"DQN 64x64, batch 64", "dqn", hidden(64) + kPlainDqn + "64", true, dqn_flops(mlp(4, 64, 2), 64), 1.6},
      {"DQN 256x256, batch 256", "dqn", hidden(256) + kPlainDqn + "256", true, dqn_flops(mlp(4, 256, 2), 256), 1.25},
      {"Rainbow 128x128, batch 64", "rainbow", hidden(128) + "batch_size = 64\nnum_atoms = 51", true,
       dqn_flops(mlp(4, 128, 153), 64), 1.7},
      {"DDPG 64x64, batch 64", "ddpg", hidden(64) + kUniform + "batch_size = 64", false,
       ddpg_flops(mlp(3, 64, 1), mlp(4, 64, 1), 64, 1), 1.7},
      {"DDPG 128x128, batch 64", "ddpg", hidden(128) + kUniform + "batch_size = 64", false,
       ddpg_flops(mlp(3, 128, 1), mlp(4, 128, 1), 64, 1), 1.7},
      {"D3PG 128x128, batch 64", "d3pg", hidden(128) + kUniform + "batch_size = 64\nnum_atoms = 51", false,
       ddpg_flops(mlp(3, 128, 1), mlp(4, 128, 51), 64, 1), 1.7},
      {"D4PG 128x128, batch 64", "d4pg", hidden(128) + "batch_size = 64\nnum_atoms = 51", false,
       ddpg_flops(mlp(3, 128, 1), mlp(4, 128, 51), 64, 1), 1.7},
      {"SAC 64x64, batch 100", "sac", hidden(64) + kUniform + "batch_size = 100", false,
       sac_flops(mlp(3, 64, 2), mlp(4, 64, 1), 100, 1), 1.5},
      {"SAC 256x256, batch 256", "sac", hidden(256) + kUniform + "batch_size = 256", false,
       sac_flops(mlp(3, 256, 2), mlp(4, 256, 1), 256, 1), 1.25},
      {"PPO 64x64, batch 256, 2 epochs", "ppo",
       hidden(64) + "rollout_length = 2048\nbatch_size = 256\nnum_epochs = 2\nactor_number_updates = "
                    "1\ncritic_number_updates = 1",
       false, ppo_flops(mlp(3, 64, 1), mlp(3, 64, 1), kPhase, 2), 1.7},
  };
}

constexpr bool is_on_policy(std::string_view algorithm) { return algorithm == "ppo"; }

Agent make_agent(Plugins& plugins, const std::string& algorithm, const std::string& options, bool discrete,
                 uint64_t transitions, uint32_t threads) {
  const Spaces spaces = discrete ? Spaces{Space::box(4, -10, 10), Space::discrete(2)}
                                 : Spaces{Space::box(3, -10, 10), Space::box(1, -1, 1)};
  // Nothing is learnt while the memory fills: a warm-up without end.
  std::string text = options + "\n";
  if (!is_on_policy(algorithm))
    text += "warm_up = 1_000_000\nupdate_freq = 1\nnumber_updates = " + std::to_string(kUpdates) +
            "\nbuffer_size = " + std::to_string(transitions);
  AgentSettings settings;
  settings.steps = 1'000'000;
  settings.threads = std::max(threads, 1U);
  return Agent::create(plugins, algorithm, spaces, text, settings);
}

}  // namespace

double update_us(Plugins& plugins, const std::string& algorithm, const std::string& options, bool discrete, int times,
                 uint64_t transitions, uint32_t threads) {
  double (*const clock)() = threads == 0 ? thread_seconds : wall_seconds;
  Agent agent = make_agent(plugins, algorithm, options, discrete, transitions, threads);
  if (!is_on_policy(algorithm)) {
    fill(agent, discrete, transitions);
    return best_seconds(
               times, [&] { agent.train(); }, clock) /
           kUpdates * 1e6;
  }
  double best = 1e30;
  for (int i = 0; i < std::max(3, times / 20); ++i) {
    fill(agent, discrete, static_cast<uint64_t>(kPhase));
    best = std::min(best, best_seconds(
                              1, [&] { agent.train(); }, clock));
  }
  return best * 1e6;
}

double updates_seconds(Plugins& plugins, const std::string& algorithm, const std::string& options, bool discrete,
                       uint64_t updates, uint64_t transitions) {
  Agent agent = make_agent(plugins, algorithm, options, discrete, transitions, 0);
  fill(agent, discrete, transitions);
  const double start = thread_seconds();
  for (uint64_t done = 0; done < updates; done += kUpdates) agent.train();
  return thread_seconds() - start;
}

std::vector<std::string> update_names() {
  std::vector<std::string> names;
  for (const Case& one : cases()) names.emplace_back(one.name);
  return names;
}

void repeat_update(Plugins& plugins, const std::string& name, int times) {
  for (const Case& one : cases()) {
    if (one.name != name) continue;
    update_us(plugins, one.algorithm, one.options, one.discrete, times, 1'000);
    return;
  }
  throw Error("E0403", Exit::usage, "there is no update `" + printable(name) + "`")
      .help("updates: " + listing(update_names()));
}

void measure_updates(Plugins& plugins, const Settings& settings, const Sink& sink) {
  for (const Case& one : cases()) {
    const bool large = one.flops > 1e8;
    const int times = (settings.brief ? 40 : 200) / (large ? 4 : 1);
    Figure figure;
    figure.group = "update";
    figure.name = one.name;
    figure.unit = "us";
    figure.value = update_us(plugins, one.algorithm, one.options, one.discrete, times, 10'000);
    if (const double peak = fma_peak_gflops(5); peak > 0) {
      figure.limit = one.flops / peak * 1e-3;
      figure.limit_name = "L, FLOPs at peak";
      figure.budget = one.budget;
    }
    sink(figure);
  }
}

}  // namespace spar::bench
