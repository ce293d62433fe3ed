// Gate A for deterministic actor-critics: environments whose values are known exactly; at most 5,000 updates, the value
// of the policy's own action within 0.05.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/training_run.hpp"

using spar::test::TrainingRun;

namespace {

struct Probed {
  std::vector<double> values;  ///< E[Q(s, mu(s))] of each observation
  std::vector<float> actions;  ///< mu(s), in [-1, 1]
};

std::string deterministic_experiment(const std::string& algorithm, const std::string& name, const std::string& options,
                                     int n_steps = 1) {
  const bool distributional = algorithm != "ddpg", parallel = algorithm == "d4pg";
  return "name = \"probe\"\n[env]\nid = \"probe/" + name + "\"\ncount = 4\n[algorithm]\nid = \"" + algorithm +
         "\"\nhidden_layers = [32]\nactor_lr = 1e-3\ncritic_lr = 3e-3\nbatch_size = 64\nbuffer_size = 5_000\n"
         "warm_up = 1_000\nupdate_freq = 4\nnumber_updates = 4\ntau = 0.05\nnoise_scale = 0.5\n" +
         (distributional ? "n_steps = " + std::to_string(n_steps) + "\n" : "") + (parallel ? "num_workers = 2\n" : "") +
         options + "\n[stop]\nany = [{ env_steps = 5_000 }]\n[eval]\nevery = 5_000\nepisodes = 4\n";
}

/// Trains on probe/NAME and asks about observations of one number.
Probed probe(const std::string& algorithm, const std::string& name, const std::string& options,
             const std::vector<float>& obs, int n_steps = 1) {
  const bool distributional = algorithm != "ddpg";
  TrainingRun run(deterministic_experiment(algorithm, name, options, n_steps));
  run.run();
  BOOST_TEST(run.training().counters.updates <= 5000u);
  const size_t rows = obs.size(), atoms = distributional ? 51 : 1;
  Probed out;
  out.actions = run.forward("actor", obs, rows, 1);
  const auto critic = run.forward("critic", obs, rows, atoms, out.actions);
  for (size_t i = 0; i < rows; ++i) {
    if (!distributional) {
      out.values.push_back(static_cast<double>(critic[i]));
      continue;
    }
    double sum = 0, mean = 0;
    for (size_t j = 0; j < atoms; ++j) {
      const double mass = std::exp(static_cast<double>(critic[i * atoms + j]));
      sum += mass;
      mean += mass * (-10 + 0.4 * static_cast<double>(j));
    }
    out.values.push_back(mean / sum);
  }
  return out;
}

void check_values(const std::string& what, const Probed& found, const std::vector<double>& expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    BOOST_TEST(std::abs(found.values[i] - expected[i]) <= 0.05,
               what << ": value " << i << " is " << found.values[i] << ", expected " << expected[i]);
}

const std::string kAlgorithms[] = {"ddpg", "d3pg", "d4pg"};

}  // namespace

BOOST_AUTO_TEST_SUITE(deterministic_probes)

BOOST_AUTO_TEST_CASE(values_are_exact) {
  for (const std::string& algorithm : kAlgorithms) {
    check_values(algorithm + " one step", probe(algorithm, "one_step_reward_continuous", "", {0}), {1});
    check_values(algorithm + " observation", probe(algorithm, "obs_value_continuous", "", {-1, 1}), {-1, 1});
    check_values(algorithm + " two steps", probe(algorithm, "two_step_continuous", "gamma = 0.9", {0, 1}), {0.9, 1});
    check_values(algorithm + " truncation", probe(algorithm, "truncated_forever_continuous", "gamma = 0.8", {0}), {5});
  }
}

BOOST_AUTO_TEST_CASE(truncation_is_not_an_end_for_n_step_returns) {
  check_values("d3pg", probe("d3pg", "truncated_forever_continuous", "gamma = 0.8", {0}, 3), {5});
}

BOOST_AUTO_TEST_CASE(best_actions_are_found) {
  for (const std::string& algorithm : kAlgorithms) {
    const Probed two = probe(algorithm, "two_actions_continuous", "", {0});
    check_values(algorithm + " two actions", two, {1});
    BOOST_TEST(two.actions[0] >= 0.95F, algorithm);
    const Probed match = probe(algorithm, "match_obs_continuous", "", {-1, 1});
    check_values(algorithm + " match", match, {1, 1});
    BOOST_TEST((match.actions[0] <= -0.95F && match.actions[1] >= 0.95F), algorithm);
    // The box is [-1, 3] and the best action 2, which is 0.5 in the policy's units.
    const Probed bandit = probe(algorithm, "continuous_bandit", "", {0});
    check_values(algorithm + " bandit", bandit, {0});
    BOOST_TEST(std::abs(bandit.actions[0] - 0.5F) <= 0.05F, algorithm << " chooses " << bandit.actions[0]);
  }
}

// Three dimensions with other bounds each; the reward is the mean over them. Whoever forgets scale or offset of one of
// them loses at least 1/3.
BOOST_AUTO_TEST_CASE(every_dimension_of_a_lopsided_box_is_used) {
  for (const std::string& algorithm : kAlgorithms) {
    TrainingRun run(deterministic_experiment(algorithm, "continuous_bandit", ""), {"env.n=3"});
    run.run();
    BOOST_TEST(run.best_return() > -0.15, algorithm << " reaches " << run.best_return());
  }
}

BOOST_AUTO_TEST_SUITE_END()
