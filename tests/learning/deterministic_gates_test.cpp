// Gates B, G and H for deterministic actor-critics: best greedy evaluation of 20 episodes.
#include "gate.hpp"
#include "gate_b.hpp"

using spar::test::gate, spar::test::deterministic_identity;

namespace {

/// Gate H: the reward of a step is between -16.3 and 0; scaled by 1/100, its sum at gamma 0.98 is above -8.2.
std::string pendulum(const std::string& algorithm, const std::string& count, const std::string& options) {
  return "name = \"gate-h\"\n[env]\nid = \"Pendulum-v1\"\ncount = " + count + "\n[algorithm]\nid = \"" + algorithm +
         "\"\nhidden_layers = [128, 128]\ngamma = 0.98\nreward_transform = \"scale(0.01)\"\nactor_lr = 1e-3\n"
         "critic_lr = 1e-3\ntau = 0.005\nwarm_up = 1_000\n" +
         options +
         "[stop]\nany = [{ env_steps = 20_000 }, { eval_return = -500 }]\n[eval]\nevery = 2_500\nepisodes = 20\n";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(deterministic_gates)

BOOST_AUTO_TEST_CASE(ddpg_learns_the_identity_in_1000_steps) { gate(deterministic_identity("ddpg", ""), {}, 90); }
BOOST_AUTO_TEST_CASE(d3pg_learns_the_identity_in_1000_steps) {
  gate(deterministic_identity("d3pg", "n_steps = 1\n"), {}, 90);
}
BOOST_AUTO_TEST_CASE(d4pg_learns_the_identity_in_1000_steps) {
  gate(deterministic_identity("d4pg", "n_steps = 1\nnum_workers = 2\n"), {}, 90);
}

// Gate G: noise 0.1, 10,000 uniform steps first, gamma 0.98, 128x128, 20,000 steps.
BOOST_AUTO_TEST_CASE(ddpg_swings_the_pendulum_up_within_20000_steps) {
  gate(
      "name = \"gate-g\"\n[env]\nid = \"Pendulum-v1\"\n[algorithm]\nid = \"ddpg\"\nhidden_layers = [128, 128]\n"
      "gamma = 0.98\nnoise_scale = 0.1\nwarm_up = 10_000\nbatch_size = 128\nactor_lr = 1e-3\ncritic_lr = 1e-3\n"
      "tau = 0.005\n[stop]\nany = [{ env_steps = 20_000 }, { eval_return = -300 }]\n[eval]\nevery = 2_500\n"
      "episodes = 20\n",
      {}, -300);
}

// Gate H: 20,000 steps.
BOOST_AUTO_TEST_CASE(d3pg_swings_the_pendulum_up_within_20000_steps) { gate(pendulum("d3pg", "1", ""), {}, -500); }
BOOST_AUTO_TEST_CASE(d4pg_with_two_workers_swings_the_pendulum_up_within_20000_steps) {
  gate(pendulum("d4pg", "2", "num_workers = 2\n"), {}, -500);
}

// The presets that the READMEs show.
BOOST_AUTO_TEST_CASE(presets_reach_their_scores) {
  gate("pendulum-ddpg", {}, -200);
  gate("pendulum-d3pg", {}, -250);
  gate("pendulum-d4pg", {}, -250);
}

BOOST_AUTO_TEST_SUITE_END()
