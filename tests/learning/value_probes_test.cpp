// Gate A: environments whose value function is known exactly; at most 5,000 updates, every value within 0.05.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "spar/rl/categorical.hpp"
#include "support/training_run.hpp"

using spar::test::TrainingRun;

namespace {

constexpr double kTolerance = 0.05;

/// Values [rows, actions] of what a learner has learnt.
using Values = std::vector<float> (*)(TrainingRun& run, const std::vector<float>& inputs, size_t rows, size_t actions);

std::vector<float> values_of_dqn(TrainingRun& run, const std::vector<float>& inputs, size_t rows, size_t actions) {
  return run.forward("q", inputs, rows, actions);
}

constexpr size_t kAtoms = 51;

std::vector<float> values_of_rainbow(TrainingRun& run, const std::vector<float>& inputs, size_t rows, size_t actions) {
  std::vector<float> p = run.forward("q", inputs, rows, actions * kAtoms), q(rows * actions);
  spar::rl::softmax(p, kAtoms, p);
  spar::rl::expectation(spar::rl::Support(-10, 10, kAtoms), p, q);
  return q;
}

struct Learner {
  const char* options;
  Values values;
};

// Every action has to be tried: by epsilon 1, or by a long warm-up where noisy layers explore.
const Learner kLearners[] = {
    {"id = \"dqn\"\nepsilon_end = 1.0\n", values_of_dqn},
    {"id = \"dqn\"\nnoisy = true\nwarm_up = 2_000\nbuffer_size = 5_000\n", values_of_dqn},
    {"id = \"rainbow\"\nnum_atoms = 51\nnoisy = false\nepsilon_end = 1.0\n", values_of_rainbow},
    {"id = \"rainbow\"\nnum_atoms = 51\nwarm_up = 2_000\nbuffer_size = 5_000\n", values_of_rainbow},
};

std::string value_experiment(const std::string& environment, const std::string& learner, const std::string& more) {
  std::string text = "name = \"probe\"\n[env]\nid = \"" + environment + "\"\ncount = 4\n[algorithm]\n" + learner +
                     "hidden_layers = [32]\nlr = 2e-3\nbatch_size = 32\nupdate_freq = 4\nnumber_updates = 4\n"
                     "tau = 0.02\nn_steps = 1\n" +
                     more + "\n";
  if (learner.find("warm_up") == std::string::npos) text += "warm_up = 200\nbuffer_size = 2_000\n";
  return text + "[stop]\nany = [{ env_steps = 5_000 }]\n[eval]\nevery = 5_000\nepisodes = 4\n";
}

/// Each learner values the rows of `inputs` as `expected` says, at most 5,000 updates after it knew nothing.
void check_values(const std::string& environment, const std::string& more, const std::vector<float>& inputs,
                  size_t rows, const std::vector<double>& expected, const std::vector<std::string>& assignments = {}) {
  for (const Learner& learner : kLearners) {
    TrainingRun run(value_experiment(environment, learner.options, more), assignments);
    run.run();
    BOOST_TEST(run.training().counters.updates <= 5000u);
    const auto q = learner.values(run, inputs, rows, expected.size() / rows);
    for (size_t i = 0; i < expected.size(); ++i)
      BOOST_TEST(std::abs(q[i] - expected[i]) <= kTolerance,
                 learner.options << "value " << i << " is " << q[i] << ", expected " << expected[i]);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(value_probes)

BOOST_AUTO_TEST_CASE(one_step_reward_is_valued_one) { check_values("probe/one_step_reward", "", {0}, 1, {1.0, 1.0}); }

BOOST_AUTO_TEST_CASE(observation_reaches_the_value) { check_values("probe/obs_value", "", {-1, 1}, 2, {-1, -1, 1, 1}); }

BOOST_AUTO_TEST_CASE(two_steps_are_discounted_once) {
  check_values("probe/two_step", "", {0, 1}, 2, {0.99, 0.99, 1, 1});
}

BOOST_AUTO_TEST_CASE(two_actions_are_told_apart) { check_values("probe/two_actions", "", {0}, 1, {-1, 1}); }

BOOST_AUTO_TEST_CASE(action_is_judged_by_its_observation) {
  check_values("probe/match_obs", "", {-1, 1}, 2, {1, -1, -1, 1});
}

BOOST_AUTO_TEST_CASE(truncation_is_not_an_end) {
  // gamma 0.8, so that 5,000 updates reach the fixed point 1 / (1 - gamma) = 5; a truncation learnt as an end
  // gives 3.36.
  check_values("probe/truncated_forever", "gamma = 0.8", {0}, 1, {5, 5});
}

BOOST_AUTO_TEST_CASE(truncation_is_not_an_end_for_n_step_returns) {
  check_values("probe/truncated_forever", "gamma = 0.8", {0}, 1, {5, 5}, {"algorithm.n_steps=3"});
}

// One of three actions is forbidden: the best of the others is worth 2 or, in a third of the cases, 1. Without the next
// mask the first step would be worth 1.98. Uniform replay, since priorities would prefer the rarer case; a large batch,
// since the next mask is drawn anew for each transition.
BOOST_AUTO_TEST_CASE(forbidden_actions_are_no_part_of_the_value) {
  check_values("probe/masked", "prioritized = false", {0, 1}, 2, {1.65, 1.65, 1.65, 0, 1, 2},
               {"algorithm.batch_size=256"});
}

BOOST_AUTO_TEST_CASE(corridor_has_its_exact_values) {
  std::vector<float> cells(4 * 5, 0.0F);
  for (size_t cell = 0; cell < 4; ++cell) cells[cell * 5 + cell] = 1;
  for (const char* replay : {"prioritized = true", "prioritized = false"})
    for (const char* target : {"algorithm.target_update_every=0", "algorithm.target_update_every=50"})
      check_values("probe/corridor", std::string("gamma = 0.9\n") + replay, cells, 4,
                   {0.6561, 0.729, 0.6561, 0.81, 0.729, 0.9, 0.81, 1.0}, {target});
}

BOOST_AUTO_TEST_SUITE_END()
