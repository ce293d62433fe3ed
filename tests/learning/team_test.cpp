// Coordination: games whose best pair of actions lies beside heavy losses (Claus and Boutilier 1998).
#include <boost/test/unit_test.hpp>
#include <string>

#include "gate.hpp"

using spar::test::TrainingRun;

namespace {

/// Seeds, of ten, whose greedy play at the end earns `optimum`. Rewards are scaled so that the Huber loss is a square,
/// whose minimum is the mean.
int optima(const std::string& game, const std::string& strategy, double optimum) {
  int found = 0;
  std::string returns;
  for (int seed = 1; seed <= 10; ++seed) {
    TrainingRun run("name = \"coordination\"\nseed = " + std::to_string(seed) + "\nstrategy = " + strategy +
                    "\n[env]\nid = \"" + game +
                    "\"\ncount = 4\n[algorithm]\nid = \"dqn\"\nhidden_layers = [32]\nlr = 2e-3\nbatch_size = 64\n"
                    "buffer_size = 4_000\nwarm_up = 400\nupdate_freq = 4\nnumber_updates = 1\nn_steps = 1\n"
                    "prioritized = false\nreward_transform = \"scale(0.01)\"\nepsilon_end = 0.05\nepsilon_decay = 0.5\n"
                    "[stop]\nany = [{ env_steps = 4_000 }]\n[eval]\nevery = 4_000\nepisodes = 1\n");
    run.run();
    found += run.evaluations().back().mean == optimum;
    returns += " " + std::to_string(static_cast<int>(run.evaluations().back().mean));
  }
  BOOST_TEST_MESSAGE(game << " by " << strategy << ":" << returns);
  return found;
}

void check_coordination(const std::string& game, double optimum) {
  const int joint = optima(game, "{ id = \"team\", mode = \"joint\" }", optimum);
  const int independent = optima(game, "{ id = \"independent\" }", optimum);
  BOOST_TEST(joint >= 8, "the joint team finds the optimum of " << game << " in " << joint << " of 10 seeds");
  BOOST_TEST(independent <= 2, "independent learners find it in " << independent << " of 10 seeds");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(coordination)

BOOST_AUTO_TEST_CASE(joint_team_climbs_where_independent_learners_do_not) { check_coordination("climbing", 11); }

BOOST_AUTO_TEST_CASE(joint_team_risks_the_penalty_where_independent_learners_do_not) {
  check_coordination("penalty", 10);
}

// A speaker that cannot move knows the goal of a listener that can (Lowe et al. 2017). The critic that sees both tells
// the speaker what its words are worth; alone it hardly learns to say anything.
BOOST_AUTO_TEST_CASE(central_critics_teach_a_speaker_that_independent_learners_do_not_in_the_same_time) {
  const int seeds = spar::test::all_seeds() ? 3 : 1, needed = spar::test::all_seeds() ? 2 : 1;
  int taught = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto directed = [seed](const std::string& strategy) {
      TrainingRun run("speaker-team-ddpg", {"seed=" + std::to_string(seed), "strategy=" + strategy,
                                            "stop.any=[{env_steps=25_000}]", "eval.every=25_000"});
      run.run();
      return run.evaluations().back().mean;
    };
    const double central = directed("{id=\"team\",mode=\"central_critic\"}"), alone = directed("{id=\"independent\"}");
    BOOST_TEST_MESSAGE("seed " << seed << ": central critics " << central << ", independent learners " << alone);
    taught += central >= -11 && alone < central - 2;
  }
  BOOST_TEST(taught >= needed, taught << " of " << seeds << " seeds, expected " << needed);
}

BOOST_AUTO_TEST_SUITE_END()
