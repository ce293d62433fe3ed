// Gates A, B and F of SAC: best greedy evaluation of 20 episodes, and one-step problems whose best policy is known.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "gate.hpp"
#include "gate_b.hpp"

using namespace spar::test;

namespace {

/// Mean and standard deviation of the policy before tanh, in the observation 0.
struct Gaussian {
  double mean, std;
};
Gaussian policy(TrainingRun& run) {
  BOOST_TEST(run.training().counters.updates <= 5000u);
  const auto y = run.forward("actor", {0}, 1, 2);
  return {static_cast<double>(y[0]), std::exp(static_cast<double>(y[1]))};
}

/// Reward -(a - target)^2 in one step.
std::string bandit(const std::string& bounds, const std::string& temperature) {
  return "name = \"bandit\"\n"
         "[env]\nid = \"probe/continuous_bandit\"\ncount = 4\n" +
         bounds +
         "\n[algorithm]\nid = \"sac\"\nhidden_layers = [64, 64]\nactor_lr = 1e-3\ncritic_lr = 2e-3\nwarm_up = 400\n"
         "batch_size = 128\nbuffer_size = 4_000\nupdate_freq = 4\nnumber_updates = 2\nprioritized = false\n" +
         temperature + "\n[stop]\nany = [{ env_steps = 10_000 }]\n[eval]\nevery = 10_000\nepisodes = 4\n";
}

/// Trains with one seed; with SPAR_TEST_ALL with three, of which all must pass.
template <class Check>
void with_seeds(const std::string& experiment, Check check) {
  const int seeds = all_seeds() ? 3 : 1;
  for (int seed = 1; seed <= seeds; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      TrainingRun run(experiment, {"seed=" + std::to_string(seed)});
      run.run();
      check(run);
    }
  }
}

void check_near(double found, double expected, double tolerance, const char* what) {
  BOOST_TEST_MESSAGE(what << " is " << found << ", expected " << expected);
  BOOST_TEST(std::abs(found - expected) <= tolerance,
             what << " is " << found << ", expected " << expected << " +- " << tolerance);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sac_probes)

BOOST_AUTO_TEST_CASE(lopsided_box_is_used_to_its_best_action) {
  with_seeds(bandit("", "alpha = 0.02"), [](TrainingRun& run) {
    check_near(1 + 2 * std::tanh(policy(run).mean), 2, 0.05, "the action");
    BOOST_TEST(run.training().counters.best_return.value_or(-1e300) >= -0.0025);
  });
}

BOOST_AUTO_TEST_CASE(every_dimension_of_a_lopsided_box_is_used) {
  with_seeds(bandit("n = 3", "alpha = 0.005"),
             [](TrainingRun& run) { BOOST_TEST(run.training().counters.best_return.value_or(-1e300) >= -0.01); });
}

// The golden case `sac.bandit`: the soft-optimal policy is a Gaussian of variance alpha / 2.
BOOST_AUTO_TEST_CASE(policy_is_as_wide_as_the_temperature_asks_for) {
  with_seeds(bandit("low = -1\nhigh = 1\ntarget = 0", "alpha = 0.02"), [](TrainingRun& run) {
    check_near(policy(run).mean, 0, 0.05, "the mean");
    check_near(policy(run).std, 0.1, 0.02, "the standard deviation");
  });
}

BOOST_AUTO_TEST_CASE(learnt_temperature_reaches_the_target_entropy) {
  with_seeds(bandit("low = -1\nhigh = 1\ntarget = 0", "alpha = 0.2\nalpha_lr = 3e-3"), [](TrainingRun& run) {
    check_near(policy(run).mean, 0, 0.05, "the mean");
    check_near(policy(run).std, 0.08901605492, 0.2 * 0.08901605492, "the standard deviation");
    const double log_alpha = static_cast<double>(run.values("log_alpha").front());
    check_near(std::exp(log_alpha), 0.01584771607, 0.2 * 0.01584771607, "alpha");
  });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sac_gates)

BOOST_AUTO_TEST_CASE(identity_is_learnt_in_1000_steps) { gate(sac_identity(), {}, 90); }

// Gate F: Pendulum-v1, learning rates 1e-3, learnt temperature, 10,000 steps.
BOOST_AUTO_TEST_CASE(pendulum_is_swung_up_within_10000_steps) {
  gate(
      "name = \"gate-f\"\n"
      "[env]\nid = \"Pendulum-v1\"\n"
      "[algorithm]\nid = \"sac\"\nhidden_layers = [64, 64]\nactor_lr = 1e-3\ncritic_lr = 1e-3\nalpha_lr = 1e-3\n"
      "warm_up = 500\nbatch_size = 100\n"
      "[stop]\nany = [{ env_steps = 10_000 }]\n[eval]\nevery = 2_500\nepisodes = 20\n",
      {}, -300);
}

BOOST_AUTO_TEST_CASE(preset_pendulum_sac_reaches_minus_200) { gate("pendulum-sac", {}, -200); }

// With actions by parameters that are one update old.
BOOST_AUTO_TEST_CASE(actors_beside_the_learner_swing_it_up_as_well) {
  gate("pendulum-sac", {"strategy.overlap=true"}, -200);
}

BOOST_AUTO_TEST_CASE(preset_mountaincar_continuous_sac_reaches_90) { gate("mountaincar-continuous-sac", {}, 90); }

BOOST_AUTO_TEST_SUITE_END()
