// Gate A: environments whose value function is known exactly; at most 5,000 updates, every value within 0.05.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/training_run.hpp"

using spar::test::TrainingRun;

namespace {

constexpr double kTolerance = 0.05;

std::string experiment(const std::string& environment, const std::string& algorithm) {
  return "name = \"probe\"\n"
         "[env]\nid = \"" +
         environment +
         "\"\ncount = 4\n"
         "[algorithm]\nid = \"dqn\"\nhidden_layers = [32]\nlr = 2e-3\nbatch_size = 32\nbuffer_size = 2_000\nwarm_up = "
         "200\n"
         "update_freq = 4\nnumber_updates = 4\ntau = 0.02\nn_steps = 1\nepsilon_start = 1.0\nepsilon_end = 1.0\n" +
         algorithm + "\n[stop]\nany = [{ env_steps = 5_000 }]\n[eval]\nevery = 5_000\nepisodes = 4\n";
}

void check_q(TrainingRun& run, const std::vector<float>& inputs, size_t rows, const std::vector<double>& expected) {
  BOOST_TEST(run.training().counters.updates <= 5000u);
  const auto q = run.forward("q", inputs, rows, expected.size() / rows);
  for (size_t i = 0; i < expected.size(); ++i) {
    BOOST_TEST(std::abs(q[i] - expected[i]) <= kTolerance,
               "value " << i << " is " << q[i] << ", expected " << expected[i]);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dqn_probes)

BOOST_AUTO_TEST_CASE(one_step_reward_is_valued_one) {
  TrainingRun run(experiment("probe/one_step_reward", ""));
  run.run();
  check_q(run, {0}, 1, {1.0, 1.0});
}

BOOST_AUTO_TEST_CASE(observation_reaches_the_value) {
  TrainingRun run(experiment("probe/obs_value", ""));
  run.run();
  check_q(run, {-1, 1}, 2, {-1, -1, 1, 1});
}

BOOST_AUTO_TEST_CASE(two_steps_are_discounted_once) {
  TrainingRun run(experiment("probe/two_step", ""));
  run.run();
  check_q(run, {0, 1}, 2, {0.99, 0.99, 1, 1});
}

BOOST_AUTO_TEST_CASE(two_actions_are_told_apart) {
  TrainingRun run(experiment("probe/two_actions", ""));
  run.run();
  check_q(run, {0}, 1, {-1, 1});
}

BOOST_AUTO_TEST_CASE(action_is_judged_by_its_observation) {
  TrainingRun run(experiment("probe/match_obs", ""));
  run.run();
  check_q(run, {-1, 1}, 2, {1, -1, -1, 1});
}

BOOST_AUTO_TEST_CASE(truncation_is_not_an_end) {
  // gamma 0.8, so that 5,000 updates reach the fixed point 1 / (1 - gamma) = 5; a truncation learnt as an end
  // gives 3.36.
  TrainingRun run(experiment("probe/truncated_forever", "gamma = 0.8"));
  run.run();
  check_q(run, {0}, 1, {5, 5});
}

BOOST_AUTO_TEST_CASE(truncation_is_not_an_end_for_n_step_returns) {
  TrainingRun run(experiment("probe/truncated_forever", "gamma = 0.8"), {"algorithm.n_steps=3"});
  run.run();
  check_q(run, {0}, 1, {5, 5});
}

BOOST_AUTO_TEST_CASE(corridor_has_its_exact_values) {
  for (const char* replay : {"prioritized = true", "prioritized = false"}) {
    for (const char* target : {"algorithm.target_update_every=0", "algorithm.target_update_every=50"}) {
      TrainingRun run(experiment("probe/corridor", std::string("gamma = 0.9\n") + replay), {target});
      run.run();
      std::vector<float> cells;
      const auto width = static_cast<size_t>(run.training().environment->agents().front().observation.width());
      for (size_t cell = 0; cell < 4; ++cell) {
        for (size_t i = 0; i < width; ++i) cells.push_back(i == cell ? 1.0F : 0.0F);
      }
      check_q(run, cells, 4, {0.6561, 0.729, 0.6561, 0.81, 0.729, 0.9, 0.81, 1.0});
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
