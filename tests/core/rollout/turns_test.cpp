#include "core/rollout/turns.hpp"

#include "core/rollout/evaluation.hpp"
#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Two agents move by turns: agent_0 in even steps (agent_1 in odd copies). Step t pays t to both.
struct Game : ScriptedEnvironment {
  Game() {
    agents = {Agent{}, Agent{}};
    agents[1].id = "agent_1";
    for (auto& agent : agents) agent.columns = {"acting", "truncated", "action_mask"};
    acts = [](const Moment& m, size_t agent) { return (m.t + m.copy) % 2 == agent; };
    allows = [this](const Moment& m, size_t agent, size_t action) { return acts(m, agent) && action != 3; };
    reward = [](const Moment& m, size_t) { return static_cast<float>(m.t); };
    terminated = [](const Moment& m) { return m.t == 5; };
  }
};

/// Takes action 2 everywhere.
struct Twos : ScriptedAlgorithm {
  Twos() {
    honour_masks();
    act = [](const spar_act&, const spar_batch&, spar_batch& out) {
      std::fill_n(static_cast<int64_t*>(out.columns[0].t.data), out.rows, 2);
    };
  }
};

/// Whoever was asked was to move, and was told which of its moves is the first and what it may do.
void check_asked(const Game& game, const Twos& script) {
  for (const auto& asked : script.acted) {
    const size_t agent = asked.by == "learner/agent_0" ? 0 : 1;
    BOOST_REQUIRE_EQUAL(asked.obs.size(), asked.rows);
    for (size_t i = 0; i < asked.rows; ++i) {
      const auto number = static_cast<uint64_t>(asked.obs[i]);
      const Moment moment{number / 100'000, number % 100'000 / 1'000, number % 1'000};
      BOOST_TEST(moment.copy == asked.lanes[i]);
      BOOST_TEST(game.acts(moment, agent));
      BOOST_TEST(int(asked.first[i]) == (moment.t <= 1 ? 1 : 0));  // its own first move, not the game's
      BOOST_TEST(int(asked.mask[4 * i]) == 1);
      BOOST_TEST(int(asked.mask[4 * i + 3]) == 0);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(turns)

BOOST_AUTO_TEST_CASE(decision_earns_until_the_next_one_or_the_end) {
  Game game;
  Twos script;
  Stage stage(game, script);
  stage.start();
  stage.steps(5);
  check_rows(stage.memory("agent_0"),
             {{1000, 2, 1 + 2, 0.9F, 1002, 0}, {1002, 2, 3 + 4, 0.9F, 1004, 0}, {1004, 2, 5, 0, 1005, 1}});
  // What agent_1 is paid before its first move belongs to no decision, but to its return.
  check_rows(stage.memory("agent_1"), {{1001, 2, 2 + 3, 0.9F, 1003, 0}, {1003, 2, 4 + 5, 0, 1005, 1}});
  BOOST_REQUIRE_EQUAL(stage.episodes.size(), 2u);
  for (const auto& episode : stage.episodes) {
    BOOST_TEST(episode.episode_return == 15);
    BOOST_TEST(episode.length == 5u);
  }
}

BOOST_AUTO_TEST_CASE(agent_is_asked_where_it_is_to_move_and_told_what_it_may_do) {
  Game game;
  Twos script;
  Stage stage(game, script, 3);
  stage.start();
  stage.steps(6);
  check_asked(game, script);
  BOOST_TEST(script.acted.size() == 12u);  // in each step each of the two has a copy where it is to move
}

// No next decision of an agent follows if the game stops while the other is to move: there is no value to go on with.
BOOST_AUTO_TEST_CASE(truncation_ends_the_game_for_who_is_not_to_move) {
  Game game;
  game.terminated = [](const Moment&) { return false; };
  game.truncated = [](const Moment& m) { return m.t == 2; };
  Twos script;
  Stage stage(game, script);
  stage.start();
  stage.steps(3);
  check_rows(stage.memory("agent_0"), {{1000, 2, 3, 0.9F, 1002, 0}});
  check_rows(stage.memory("agent_1"), {{1001, 2, 2, 0, 1002, 1}});
}

BOOST_AUTO_TEST_CASE(copies_beyond_the_budget_are_not_remembered) {
  Game game;
  Twos script;
  Stage stage(game, script, 3);
  stage.start();
  stage.steps(1);
  stage.steps(1, 1);
  check_rows(stage.memory("agent_0"), {{1000, 2, 3, 0.9F, 1002, 0}});
  BOOST_TEST(stage.memory("agent_1").empty());
}

BOOST_AUTO_TEST_CASE(windows_of_n_decisions_are_of_one_agent) {
  Game game;
  Twos script;
  script.needs.n_step = 2;
  Stage stage(game, script);
  stage.start();
  stage.steps(5);
  check_rows(stage.memory("agent_0"),
             {{1000, 2, 3 + 0.9F * 7, 0.81F, 1004, 0}, {1002, 2, 7 + 0.9F * 5, 0, 1005, 1}, {1004, 2, 5, 0, 1005, 1}});
}

BOOST_AUTO_TEST_CASE(returns_are_normalised_by_the_copies_own) {
  Game game;
  Twos script;
  script.needs.reward_transform = "normalise";
  Stage stage(game, script, 2);
  stage.start();
  stage.steps(20);
  // Worked out from the decisions of agent_0 in the order in which they were over.
  std::vector<double> running(2, 0.0), seen;
  for (int round = 0; round < 4; ++round)
    for (int t = 1; t <= 5; ++t)
      for (const uint64_t copy : {0, 1}) {
        const std::vector<std::pair<int, double>> over =
            copy == 0 ? std::vector<std::pair<int, double>>{{2, 3}, {4, 7}, {5, 5}}
                      : std::vector<std::pair<int, double>>{{3, 5}, {5, 9}};
        for (const auto& [at, reward] : over) {
          if (at != t) continue;
          running[copy] = 0.9 * running[copy] + reward;
          seen.push_back(running[copy]);
          if (t == 5) running[copy] = 0;
        }
      }
  double mean = 0, square = 0;
  for (const double x : seen) mean += x / static_cast<double>(seen.size());
  for (const double x : seen) square += (x - mean) * (x - mean) / static_cast<double>(seen.size());
  BOOST_TEST(stage.memory("agent_0").size() == seen.size());
  float reward = 3;
  stage.learners[0]->transforms().reward.on_sample(&reward, 1);
  BOOST_TEST(reward == static_cast<float>(3 / std::sqrt(square)), boost::test_tools::tolerance(1e-4F));
}

BOOST_AUTO_TEST_CASE(restored_worker_goes_on_in_the_middle_of_decisions) {
  for (const int before : {1, 4, 5, 8}) {
    Game game, other_game;
    Twos script, other_script;
    script.needs.n_step = other_script.needs.n_step = 2;
    Stage stage(game, script, 3), other(other_game, other_script, 3);
    stage.start();
    stage.steps(before);
    other.load(stage.save());
    other.env_steps = stage.env_steps;
    stage.steps(9);
    other.steps(9);
    BOOST_TEST((stage.memory("agent_0") == other.memory("agent_0")));
    BOOST_TEST((stage.memory("agent_1") == other.memory("agent_1")));
    BOOST_TEST((stage.save() == other.save()));
  }
}

BOOST_AUTO_TEST_CASE(decision_that_was_open_when_everything_began_anew_is_forgotten) {
  Game game;
  Twos script;
  Stage stage(game, script);
  stage.start();
  stage.steps(1);
  for (const auto& learner : stage.learners) learner->cut();
  stage.start();
  stage.steps(2);
  check_rows(stage.memory("agent_0"), {{2000, 2, 3, 0.9F, 2002, 0}});
}

BOOST_AUTO_TEST_CASE(evaluation_asks_who_is_to_move) {
  Game game;
  Twos script;
  Stage stage(game, script);
  const auto environment = make_environment(game, 2);
  script.acted.clear();
  const auto returns = rollout::evaluate(*environment, {{stage.learners[0].get()}, {stage.learners[1].get()}}, 0, 3, 7);
  BOOST_TEST(returns == std::vector<double>(3, 15.0), boost::test_tools::per_element());
  check_asked(game, script);
  BOOST_TEST(script.acted.size() >= 15u);
}

BOOST_AUTO_TEST_SUITE_END()
