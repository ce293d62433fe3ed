// Gates B and C for PPO: best greedy evaluation of 20 episodes (B: at its end, C: every 5,000 steps).
#include "gate.hpp"
#include "gate_b.hpp"

using spar::test::gate, spar::test::ppo_identity;

BOOST_AUTO_TEST_SUITE(ppo_gates)

BOOST_AUTO_TEST_CASE(identity_is_learnt_in_3000_steps) { gate(ppo_identity("identity"), {}, 90); }

BOOST_AUTO_TEST_CASE(continuous_identity_is_learnt_in_3000_steps) { gate(ppo_identity("identity_continuous"), {}, 90); }

BOOST_AUTO_TEST_CASE(identity_is_learnt_with_the_penalty_and_with_a_shared_trunk) {
  gate(ppo_identity("identity"), {"algorithm.using_kl_div=true", "algorithm.target_kl=0.02"}, 90);
  gate(ppo_identity("identity_continuous"), {"algorithm.shared_trunk=true"}, 90);
}

// Gate C: CartPole-v1, 8 copies x 32 steps, 20 epochs, batch 256, one step of each kind, both rates 1e-3 and linear,
// 100,000 steps; everything else has its documented default.
BOOST_AUTO_TEST_CASE(cartpole_is_balanced_within_100000_steps) {
  gate(
      "name = \"gate-c\"\n[env]\nid = \"CartPole-v1\"\ncount = 8\n[algorithm]\nid = \"ppo\"\nrollout_length = 32\n"
      "batch_size = 256\nnum_epochs = 20\nactor_number_updates = 1\ncritic_number_updates = 1\nactor_lr = 1e-3\n"
      "critic_lr = 1e-3\nlr_schedule = \"linear\"\n"
      "[stop]\nany = [{ env_steps = 100_000 }, { eval_return = 450 }]\n[eval]\nevery = 5_000\nepisodes = 20\n",
      {}, 450);
}

// The presets that the README shows.
BOOST_AUTO_TEST_CASE(preset_cartpole_ppo_reaches_475) { gate("cartpole-ppo", {}, 475); }
BOOST_AUTO_TEST_CASE(preset_pendulum_ppo_reaches_200) { gate("pendulum-ppo", {}, -200); }

BOOST_AUTO_TEST_SUITE_END()
