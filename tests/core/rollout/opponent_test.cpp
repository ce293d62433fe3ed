#include "core/rollout/opponent.hpp"

#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Plays its copy's number and keeps what it was told.
struct Noting : rollout::Opponent {
  const std::string& label() const override { return name; }
  void begin(uint64_t copy) override { begun.push_back(copy); }
  void act(const std::vector<uint64_t>& copies, rollout::Batch& actions) override {
    asked.push_back(copies);
    for (size_t row = 0; row < copies.size(); ++row)
      actions.data<int64_t>(0)[row] = answer >= 0 ? answer : static_cast<int64_t>(copies[row]);
  }

  std::string name = "the opponent";
  int64_t answer = -1;
  std::vector<uint64_t> begun;
  std::vector<std::vector<uint64_t>> asked;
};

/// Two agents; episodes of copy c end after 2 + c steps. Each agent is paid the other's action.
struct Pair : ScriptedEnvironment {
  Pair() {
    agents = {Agent{}, Agent{}};
    agents[1].id = "agent_1";
    terminated = [](const Moment& m) { return m.t == 2 + m.copy; };
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(opponents)

BOOST_AUTO_TEST_CASE(an_opponent_acts_in_every_copy_and_is_told_of_every_beginning) {
  Pair world;
  ScriptedAlgorithm script;
  Noting noting;
  Stage stage(world, script, 2, {nullptr, &noting});
  stage.start();
  BOOST_TEST(noting.begun == std::vector<uint64_t>({0, 1}), boost::test_tools::per_element());
  stage.steps(6);  // ends: copy 0 at 2, 4, 6; copy 1 at 3, 6
  BOOST_TEST(noting.begun == std::vector<uint64_t>({0, 1, 0, 1, 0, 0, 1}), boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(noting.asked.size() == 6u);
  for (const auto& copies : noting.asked)
    BOOST_TEST(copies == std::vector<uint64_t>({0, 1}), boost::test_tools::per_element());
  const rollout::AgentPort& seat = stage.environment->agents()[1];
  BOOST_TEST(seat.in->data<int64_t>(0)[0] == 0);
  BOOST_TEST(seat.in->data<int64_t>(0)[1] == 1);
}

BOOST_AUTO_TEST_CASE(who_learns_is_asked_for_its_own_seat_only_and_returns_are_counted_for_all) {
  Pair world;
  world.reward = [](const Moment&, size_t agent) { return agent == 0 ? 1.0F : -1.0F; };
  ScriptedAlgorithm script;
  Noting noting;
  Stage stage(world, script, 1, {nullptr, &noting});
  stage.start();
  stage.steps(4);
  for (const auto& asked : script.acted) BOOST_TEST(asked.by == "learner/agent_0");
  BOOST_TEST(stage.memory("agent_0").size() == 4u);
  BOOST_REQUIRE_EQUAL(stage.episodes.size(), 4u);  // two episodes of two agents
  for (const auto& episode : stage.episodes) BOOST_TEST(episode.episode_return == (episode.agent == 0 ? 2 : -2));
}

BOOST_AUTO_TEST_CASE(in_turns_an_opponent_is_asked_where_it_is_to_move) {
  Pair world;
  for (auto& agent : world.agents) agent.columns = {"acting"};
  world.acts = [](const Moment& m, size_t agent) { return (m.t + m.copy) % 2 == agent; };
  world.terminated = [](const Moment& m) { return m.t == 4; };
  ScriptedAlgorithm script;
  Noting noting;
  Stage stage(world, script, 2, {nullptr, &noting});
  stage.start();
  stage.steps(4);
  BOOST_TEST_REQUIRE(noting.asked.size() == 4u);
  for (size_t t = 0; t < 4; ++t)
    BOOST_TEST(noting.asked[t] == std::vector<uint64_t>({(t + 1) % 2}), boost::test_tools::per_element());
  BOOST_TEST(stage.memory("agent_0").size() == 4u);  // two decisions in each copy
}

BOOST_AUTO_TEST_CASE(an_action_that_does_not_exist_is_laid_to_the_opponent) {
  Pair world;
  ScriptedAlgorithm script;
  Noting noting;
  noting.answer = 9;
  Stage stage(world, script, 1, {nullptr, &noting});
  stage.start();
  BOOST_CHECK_EXCEPTION(stage.steps(1), Error, [](const Error& error) {
    return error.code() == "E0706" &&
           std::string(error.what()).starts_with("the opponent chose action 9 for agent `agent_1`");
  });
}

BOOST_AUTO_TEST_SUITE_END()
