// Gates of the network backend `torch`: best greedy evaluation of 20 episodes.
#include <boost/test/unit_test.hpp>

#include "support/training_run.hpp"

using spar::test::TrainingRun;

BOOST_AUTO_TEST_SUITE(torch_gates)

// The optimal return is 1, an episode that is missed gives -1: at most one of 20.
BOOST_AUTO_TEST_CASE(catch_is_learnt_from_frames_by_the_convolutional_network) {
  TrainingRun run("catch-dqn", {"seed=1"});
  run.run();
  BOOST_TEST_MESSAGE("best evaluation " << run.best_return() << " after " << run.training().counters.env_steps);
  BOOST_TEST(run.best_return() >= 0.9);
}

// Gate D on the backend, with fewer steps: far above the 9 of chance, and the same code path to the end.
BOOST_AUTO_TEST_CASE(cartpole_is_balanced_on_the_backend) {
  TrainingRun run(
      "name = \"gate-d-torch\"\nseed = 1\n"
      "[env]\nid = \"CartPole-v1\"\n"
      "[algorithm]\nid = \"dqn\"\nnetwork_backend = \"torch\"\nhidden_layers = [256, 256]\nlr = 2.3e-3\nbatch_size = "
      "64\n"
      "buffer_size = 100_000\nwarm_up = 1_000\nupdate_freq = 256\nnumber_updates = 128\nn_steps = 1\n"
      "prioritized = false\nepsilon_end = 0.04\nepsilon_decay = 0.16\ntarget_update_every = 128\n"
      "[stop]\nany = [{ env_steps = 50_000 }, { eval_return = 400 }]\n[eval]\nevery = 2_500\nepisodes = 20\n");
  run.run();
  BOOST_TEST_MESSAGE("best evaluation " << run.best_return() << " after " << run.training().counters.env_steps);
  BOOST_TEST(run.best_return() >= 400);
}

BOOST_AUTO_TEST_SUITE_END()
