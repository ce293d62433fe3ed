// Games learnt from samples by one learner for each player.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "gate.hpp"

using spar::test::TrainingRun;

namespace {

/// The information state of a player of Kuhn poker: the player, the card, the moves before.
std::vector<float> kuhn(size_t player, size_t card, const std::string& moves) {
  std::vector<float> obs(11, 0.0F);
  obs[player] = obs[2 + card] = 1;
  for (size_t i = 0; i < moves.size(); ++i) obs[5 + 2 * i + (moves[i] == 'b' ? 1 : 0)] = 1;
  return obs;
}

/// The evaluation at the end: the mean return of both players, and how far from equilibrium they play.
struct Judged {
  double mean_return;
  double nash_conv;
};
Judged judged(const std::string& env, const std::string& algorithm) {
  TrainingRun run("name = \"game\"\n[env]\n" + env + "\ncount = 4\n[algorithm]\n" + algorithm +
                  "\n[stop]\nany = [{ env_steps = 8_000 }]\n[eval]\nevery = 8_000\nepisodes = 4\n");
  run.run();
  return {run.evaluations().back().mean, run.training().nash_conv.value()};
}

constexpr const char* kDqn =
    "id = \"dqn\"\nhidden_layers = [32]\nlr = 2e-3\nbatch_size = 64\nbuffer_size = 4_000\nwarm_up = 400\n"
    "update_freq = 4\nnumber_updates = 2\nn_steps = 1\nepsilon_end = 0.05\nepsilon_decay = 0.5\n";
constexpr const char* kPpo =
    "id = \"ppo\"\nhidden_layers = [32]\nrollout_length = 32\nbatch_size = 128\nnum_epochs = 4\n"
    "actor_number_updates = 4\ncritic_number_updates = 4\nactor_lr = 3e-3\ncritic_lr = 5e-3\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(games)

// Rewards are scaled so that the Huber loss is a square, whose minimum is the mean. Both explore uniformly, so each
// learns the values of its best response to a uniform opponent, which are worked out by hand. A player who is paid at
// the end of the other's move has to be paid for the move before.
BOOST_AUTO_TEST_CASE(best_responses_to_uniform_play_of_kuhn_poker_have_their_exact_values) {
  TrainingRun run(
      "name = \"kuhn\"\n[env]\nid = \"kuhn_poker\"\ncount = 8\n[algorithm]\nid = \"dqn\"\nhidden_layers = [64]\n"
      "lr = 5e-4\nbatch_size = 512\nbuffer_size = 120_000\nwarm_up = 2_000\nupdate_freq = 16\nnumber_updates = 1\n"
      "tau = 0.002\nn_steps = 1\nprioritized = false\nepsilon_end = 1.0\n"
      "reward_transform = \"scale(0.1)\"\n"
      "[stop]\nany = [{ env_steps = 120_000 }]\n[eval]\nevery = 120_000\nepisodes = 4\n");
  run.run();
  const double g = 0.99;  // of a decision that follows
  struct Case {
    size_t player, card;
    const char* moves;
    double pass, bet;
  };
  // The target network is the mean of the last hundreds of updates.
  for (const Case& c : {Case{0, 0, "", -0.5 - 0.5 * g, -0.5}, Case{0, 1, "", 0, 0.5}, Case{0, 2, "", 0.5 + g, 1.5},
                        Case{0, 0, "pb", -1, -2}, Case{0, 1, "pb", -1, 0}, Case{0, 2, "pb", -1, 2},
                        Case{1, 0, "p", -1, -0.5}, Case{1, 1, "p", 0, 0.5}, Case{1, 2, "p", 1, 1.5},
                        Case{1, 0, "b", -1, -2}, Case{1, 1, "b", -1, 0}, Case{1, 2, "b", -1, 2}}) {
    auto q = run.forward("q_target", kuhn(c.player, c.card, c.moves), 1, 2, {}, c.player);
    for (float& value : q) value *= 10;
    const std::string what =
        "player " + std::to_string(c.player) + " with card " + std::to_string(c.card) + " after \"" + c.moves + "\"";
    BOOST_TEST(std::abs(q[0] - c.pass) <= 0.15, what << " values pass at " << q[0] << ", expected " << c.pass);
    BOOST_TEST(std::abs(q[1] - c.bet) <= 0.15, what << " values bet at " << q[1] << ", expected " << c.bet);
  }
}

BOOST_AUTO_TEST_CASE(identical_interests_meet_in_the_optimum) {
  for (const char* algorithm : {kDqn, kPpo}) {
    const auto end =
        judged("id = \"matrix\"\nactions = [2, 2]\npayoffs = [1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 2.0]", algorithm);
    BOOST_TEST(end.mean_return == 2);
    BOOST_TEST(end.nash_conv == 0);
  }
}

// Both go round the equilibrium; what they play on average is it (an independent learner's best hope in this game).
BOOST_AUTO_TEST_CASE(policies_of_matching_pennies_are_even_on_average) {
  for (const char* seed : spar::test::all_seeds() ? std::vector{"11", "12", "13"} : std::vector{"11"}) {
    TrainingRun run("pennies-independent", {"eval.every=256", "eval.episodes=1", std::string("seed=") + seed});
    double heads[2] = {0, 0}, most[2] = {0, 0}, least[2] = {1, 1};
    run.at_evaluations([&] {
      for (size_t player = 0; player < 2; ++player) {
        const auto logits = run.forward("actor", {0, 0, 1}, 1, 2, {}, player);  // nothing has been chosen yet
        const double p = 1 / (1 + std::exp(logits[1] - logits[0]));
        heads[player] += p;
        most[player] = std::max(most[player], p);
        least[player] = std::min(least[player], p);
      }
    });
    run.run();
    for (size_t player = 0; player < 2; ++player) {
      const double mean = heads[player] / static_cast<double>(run.evaluations().size());
      BOOST_TEST_MESSAGE("seed " << seed << ", player " << player << ": heads " << mean << ", from " << least[player]
                                 << " to " << most[player]);
      BOOST_TEST(std::abs(mean - 0.5) <= 0.1, "player " << player << " shows heads with " << mean << " on average");
      BOOST_TEST(most[player] - least[player] > 0.2);  // something was learnt that can be averaged
    }
  }
}

// Whatever is played greedily, the other could win.
BOOST_AUTO_TEST_CASE(greedy_play_of_matching_pennies_is_exploitable) {
  BOOST_TEST(judged("id = \"matching_pennies\"", kDqn).nash_conv == 2);
}

BOOST_AUTO_TEST_CASE(prisoners_defect) {
  for (const char* algorithm : {kDqn, kPpo}) {
    const auto end = judged("id = \"prisoners_dilemma\"", algorithm);
    BOOST_TEST(end.mean_return == 1);
    BOOST_TEST(end.nash_conv == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
