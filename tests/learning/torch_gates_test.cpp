// Gates of the network backend `torch`: one of every algorithm, best greedy evaluation of 20 episodes.
#include "gate.hpp"
#include "gate_b.hpp"

using namespace spar::test;

namespace {

/// The gate, and that it was the backend which passed it.
void torch_gate(const std::string& experiment, double pass, std::vector<std::string> assignments = {}) {
  assignments.push_back("algorithm.network_backend=torch");
  gate(experiment, assignments, pass, [](TrainingRun& run) {
    BOOST_TEST(run.training().backends() == std::vector<std::string>{"torch"}, boost::test_tools::per_element());
  });
}

boost::test_tools::assertion_result all_are_asked_for(boost::unit_test::test_unit_id) {
  return spar::test::all_seeds();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(torch_gates)

// The optimal return is 1, an episode that is missed gives -1: at most one of 20.
BOOST_AUTO_TEST_CASE(catch_is_learnt_from_frames_by_the_convolutional_network) {
  torch_gate("catch-dqn", 0.9);
  torch_gate("catch-ppo", 0.9);
}

// Gate D, which takes half a minute a seed.
BOOST_AUTO_TEST_CASE(cartpole_is_balanced, *boost::unit_test::precondition(all_are_asked_for)) {
  torch_gate(
      "name = \"gate-d-torch\"\n[env]\nid = \"CartPole-v1\"\n"
      "[algorithm]\nid = \"dqn\"\nhidden_layers = [256, 256]\nlr = 2.3e-3\nbatch_size = 64\nbuffer_size = 100_000\n"
      "warm_up = 1_000\nupdate_freq = 256\nnumber_updates = 128\nn_steps = 1\nprioritized = false\n"
      "epsilon_end = 0.04\nepsilon_decay = 0.16\ntarget_update_every = 128\n"
      "[stop]\nany = [{ env_steps = 50_000 }, { eval_return = 400 }]\n[eval]\nevery = 2_500\nepisodes = 20\n",
      400);
}

// Gate B, with the budgets that the host's own kernels have.
BOOST_AUTO_TEST_CASE(dqn_learns_the_identity) { torch_gate(value_identity("dqn"), 90); }
BOOST_AUTO_TEST_CASE(rainbow_learns_the_identity) { torch_gate(value_identity("rainbow"), 90); }
BOOST_AUTO_TEST_CASE(ppo_learns_the_identity) {
  torch_gate(ppo_identity("identity"), 90);
  torch_gate(ppo_identity("identity_continuous"), 90);
  torch_gate(ppo_identity("identity_continuous"), 90, {"algorithm.shared_trunk=true"});
}
BOOST_AUTO_TEST_CASE(ddpg_learns_the_identity) { torch_gate(deterministic_identity("ddpg", ""), 90); }
BOOST_AUTO_TEST_CASE(d3pg_learns_the_identity) { torch_gate(deterministic_identity("d3pg", "n_steps = 1\n"), 90); }
BOOST_AUTO_TEST_CASE(d4pg_with_two_workers_learns_the_identity) {
  torch_gate(deterministic_identity("d4pg", "n_steps = 1\nnum_workers = 2\n"), 90);
}
BOOST_AUTO_TEST_CASE(ddpg_learns_the_identity_by_two_gradient_workers) {
  for (const char* mode : {"bsp", "asp"})
    torch_gate(deterministic_identity("ddpg", ""), 90,
               {"strategy.id=async", "strategy.learners=2", std::string("strategy.mode=") + mode});
}
BOOST_AUTO_TEST_CASE(sac_learns_the_identity_with_a_fixed_and_a_learnt_temperature) {
  torch_gate(sac_identity(), 90);
  torch_gate(sac_identity(), 90, {"algorithm.alpha_lr=3e-3"});
}

BOOST_AUTO_TEST_SUITE_END()
