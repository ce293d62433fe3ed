// Gates B and D: best greedy evaluation of 20 episodes every 2,500 steps (B: at its end).
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/training_run.hpp"

using spar::test::TrainingRun;

namespace {

/// One seed by default; three with SPAR_TEST_ALL, of which two must reach `pass`.
void gate(const std::string& source, const std::vector<std::string>& assignments, double pass) {
  const bool all = std::getenv("SPAR_TEST_ALL") != nullptr;
  const int seeds = all ? 3 : 1, needed = all ? 2 : 1;
  int passed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    auto with_seed = assignments;
    with_seed.push_back("seed=" + std::to_string(seed));
    TrainingRun run(source, with_seed);
    run.run();
    BOOST_TEST_MESSAGE("seed " << seed << ": best evaluation " << run.best_return());
    passed += run.best_return() >= pass;
  }
  BOOST_TEST(passed >= needed, passed << " of " << seeds << " seeds reached " << pass << ", expected " << needed);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dqn_gates)

BOOST_AUTO_TEST_CASE(identity_is_learnt_in_4000_steps) {
  gate(
      "name = \"identity\"\n"
      "[env]\nid = \"probe/identity\"\n"
      "[algorithm]\nid = \"dqn\"\nhidden_layers = [64]\nlr = 1e-3\ngamma = 0.5\nn_steps = 1\nbatch_size = 64\nwarm_up "
      "= 200\n"
      "tau = 0.01\n"
      "[stop]\nany = [{ env_steps = 4_000 }]\n[eval]\nevery = 4_000\nepisodes = 20\n",
      {}, 90);
}

// Gate D: CartPole-v1, 256x256, lr 2.3e-3, 128 updates per 256 steps, 50,000 steps.
BOOST_AUTO_TEST_CASE(cartpole_is_balanced_within_50000_steps) {
  gate(
      "name = \"gate-d\"\n"
      "[env]\nid = \"CartPole-v1\"\n"
      "[algorithm]\nid = \"dqn\"\nhidden_layers = [256, 256]\nlr = 2.3e-3\nbatch_size = 64\nbuffer_size = 100_000\n"
      "warm_up = 1_000\nupdate_freq = 256\nnumber_updates = 128\nn_steps = 1\nprioritized = false\n"
      "epsilon_end = 0.04\nepsilon_decay = 0.16\ntarget_update_every = 128\n"
      "[stop]\nany = [{ env_steps = 50_000 }, { eval_return = 400 }]\n[eval]\nevery = 2_500\nepisodes = 20\n",
      {}, 400);
}

// The preset that the README shows.
BOOST_AUTO_TEST_CASE(preset_cartpole_dqn_reaches_475) { gate("cartpole-dqn", {}, 475); }

BOOST_AUTO_TEST_SUITE_END()
