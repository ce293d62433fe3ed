// Gates B, D and E: best greedy evaluation of 20 episodes every 2,500 steps (B: at its end).
#include "gate.hpp"
#include "gate_b.hpp"

using spar::test::gate, spar::test::value_identity;

BOOST_AUTO_TEST_SUITE(value_gates)

BOOST_AUTO_TEST_CASE(identity_is_learnt_in_4000_steps) {
  for (const char* algorithm : {"dqn", "rainbow"}) gate(value_identity(algorithm), {}, 90);
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

// Gate E: CartPole-v1, gamma 0.9, 51 atoms on [-10, 10], one update per 8 steps, 80,000 steps.
BOOST_AUTO_TEST_CASE(cartpole_is_balanced_by_distributions) {
  gate(
      "name = \"gate-e\"\n"
      "[env]\nid = \"CartPole-v1\"\n"
      "[algorithm]\nid = \"rainbow\"\ngamma = 0.9\nnum_atoms = 51\nv_min = -10\nv_max = 10\nupdate_freq = 8\n"
      "warm_up = 1_000\nn_steps = 1\ntarget_update_every = 100\n"
      "[stop]\nany = [{ env_steps = 80_000 }, { eval_return = 195 }]\n[eval]\nevery = 5_000\nepisodes = 20\n",
      {}, 195);
}

// The presets.
BOOST_AUTO_TEST_CASE(preset_cartpole_dqn_reaches_475) { gate("cartpole-dqn", {}, 475); }
BOOST_AUTO_TEST_CASE(preset_cartpole_rainbow_reaches_450) { gate("cartpole-rainbow", {}, 450); }

BOOST_AUTO_TEST_CASE(preset_acrobot_dqn_reaches_100) {
  gate("acrobot-dqn", {"stop.any=[{env_steps=60_000},{eval_return=-100}]"}, -100);
}
BOOST_AUTO_TEST_CASE(preset_mountaincar_dqn_reaches_130) {
  gate("mountaincar-dqn", {"stop.any=[{env_steps=120_000},{eval_return=-130}]"}, -130);
}

BOOST_AUTO_TEST_SUITE_END()
