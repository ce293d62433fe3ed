#include "core/league/seating.hpp"

#include <set>

#include "core/rollout/evaluation.hpp"
#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Two agents; agent k sees the number of the moment + 500 k and is paid 1 + 9 k a step; 3 steps an episode.
struct Table : ScriptedEnvironment {
  Table() {
    agents = {Agent{}, Agent{}};
    agents[1].id = "agent_1";
    observe = [](const Moment& m, size_t agent, size_t, size_t) {
      return number_of(m) + 500.0F * static_cast<float>(agent);
    };
    reward = [](const Moment&, size_t agent) { return agent == 0 ? 1.0F : 10.0F; };
    terminated = [](const Moment& m) { return m.t == 3; };
  }
};

/// Answers 3, and keeps the first observation of each row.
struct Watching : rollout::Opponent {
  explicit Watching(const rollout::AgentPort& seat) : port(seat) {}
  const std::string& label() const override { return name; }
  void begin(uint64_t copy) override { begun.push_back(copy); }
  void act(const std::vector<uint64_t>& copies, rollout::Batch& actions) override {
    for (size_t row = 0; row < copies.size(); ++row) {
      actions.data<int64_t>(0)[row] = 3;
      seen.push_back(port.out->data<float>(0)[copies[row]]);
    }
  }
  const rollout::AgentPort& port;
  std::string name = "the opponent";
  std::vector<uint64_t> begun;
  std::vector<float> seen;
};

/// A learner at a table whose seats change, and somebody who watches.
struct Seated {
  explicit Seated(ScriptedEnvironment& world, ScriptedAlgorithm& script, uint64_t copies)
      : stage(world, script, copies),
        environment(make_environment(world, copies)),
        seating(*environment, Philox(7, "seats")),
        opponent(seating.opponent().port()) {
    stage.add_learner("player", seating.learner().port(), copies);
    worker = std::make_unique<rollout::Worker>(
        *environment,
        std::vector<rollout::Participant>{{stage.learners.back().get(), nullptr, &seating.learner()},
                                          {nullptr, &opponent, &seating.opponent()}},
        environment->time_limit(), 1);
    worker->start(5);
  }
  void steps(int n) {
    for (int i = 0; i < n; ++i) {
      for (uint64_t copy = 0; copy < environment->copies(); ++copy)
        seats.push_back(static_cast<int>(seating.agent_of_learner(copy)));
      env_steps += worker->step(env_steps, ~uint64_t{0});
      episodes.insert(episodes.end(), worker->finished().begin(), worker->finished().end());
    }
  }

  Stage stage;  // for its learner
  std::unique_ptr<rollout::Environment> environment;
  league::Seating seating;
  Watching opponent;
  std::unique_ptr<rollout::Worker> worker;
  std::vector<int> seats;  ///< by step
  std::vector<rollout::Episode> episodes;
  uint64_t env_steps = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(seating)

BOOST_AUTO_TEST_CASE(the_learner_sees_is_paid_and_remembers_as_the_agent_that_it_is) {
  Table world;
  ScriptedAlgorithm script;
  Seated table(world, script, 1);
  table.steps(24);
  std::set<int> seats(table.seats.begin(), table.seats.end());
  BOOST_TEST(seats.size() == 2u);
  const auto rows = stored(script.contexts.at("learner/player"));
  BOOST_REQUIRE_EQUAL(rows.size(), 24u);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool second = table.seats[i] == 1;
    BOOST_TEST(rows[i].reward == (second ? 10.0F : 1.0F));
    // 500 more as the second agent; the moment's number is below 500 after the thousands.
    BOOST_TEST((std::fmod(rows[i].obs, 1000.0F) >= 500.0F) == second);
    BOOST_TEST((std::fmod(rows[i].next_obs, 1000.0F) >= 500.0F) == second);
    BOOST_TEST((std::fmod(table.opponent.seen[i], 1000.0F) >= 500.0F) != second);
  }
}

BOOST_AUTO_TEST_CASE(episodes_come_in_pairs_of_both_seats_in_random_order) {
  Table world;
  ScriptedAlgorithm script;
  Seated table(world, script, 1);
  table.steps(3 * 40);
  int first = 0;
  for (size_t pair = 0; pair < 20; ++pair) {
    const int a = table.seats[6 * pair], b = table.seats[6 * pair + 3];
    for (size_t t = 0; t < 3; ++t) {  // nobody changes seats within an episode
      BOOST_TEST(table.seats[6 * pair + t] == a);
      BOOST_TEST(table.seats[6 * pair + 3 + t] == b);
    }
    BOOST_TEST(a + b == 1);
    first += a == 0;
  }
  BOOST_TEST((first > 2 && first < 18), "the first of a pair is the first agent " << first << " times of 20");
}

BOOST_AUTO_TEST_CASE(actions_go_to_the_agent_that_each_is) {
  Table world;
  ScriptedAlgorithm script;
  script.act = [](const spar_act&, const spar_batch& obs, spar_batch& out) {
    for (uint64_t i = 0; i < obs.rows; ++i) column<int64_t>(out, "action")(i) = 1;
  };
  Seated table(world, script, 3);
  table.steps(20);
  for (int i = 0; i < 20; ++i) {
    for (uint64_t copy = 0; copy < 3; ++copy) {
      const auto learner = table.seating.agent_of_learner(copy);
      table.seating.learner().port().in->data<int64_t>(0)[copy] = 1;
      table.seating.opponent().port().in->data<int64_t>(0)[copy] = 3;
      table.seating.learner().scatter();
      table.seating.opponent().scatter();
      BOOST_TEST(table.environment->agents()[learner].in->data<int64_t>(0)[copy] == 1);
      BOOST_TEST(table.environment->agents()[1 - learner].in->data<int64_t>(0)[copy] == 3);
    }
    table.steps(1);
  }
}

BOOST_AUTO_TEST_CASE(returns_are_those_of_the_learner_and_of_its_opponent) {
  Table world;
  ScriptedAlgorithm script;
  Seated table(world, script, 2);
  table.steps(12);
  BOOST_REQUIRE_EQUAL(table.episodes.size(), 16u);  // four episodes in two copies, of two
  int as_first = 0;
  for (size_t i = 0; i < table.episodes.size(); i += 2) {
    BOOST_TEST(table.episodes[i].agent == 0u);
    BOOST_TEST(table.episodes[i + 1].agent == 1u);
    BOOST_TEST(table.episodes[i].episode_return + table.episodes[i + 1].episode_return == 33);
    as_first += table.episodes[i].episode_return == 3;
  }
  BOOST_TEST(as_first == 4);  // balanced
}

BOOST_AUTO_TEST_CASE(in_turns_only_who_is_to_move_is_asked) {
  Table world;
  for (auto& agent : world.agents) agent.columns = {"acting"};
  world.acts = [](const Moment& m, size_t agent) { return m.t % 2 == agent; };
  world.terminated = [](const Moment& m) { return m.t == 4; };
  ScriptedAlgorithm script;
  Seated table(world, script, 1);
  table.steps(16);
  BOOST_TEST(table.opponent.seen.size() == 8u);  // half of the moves
  size_t asked = 0;
  for (const auto& acted : script.acted) asked += acted.by == "learner/player" ? acted.rows : 0;
  BOOST_TEST(asked == 8u);
  for (const auto& row : stored(script.contexts.at("learner/player"))) {
    const bool second = std::fmod(row.obs, 1000.0F) >= 500.0F;
    BOOST_TEST(std::fmod(row.obs, 2.0F) == (second ? 1.0F : 0.0F));  // the first agent moves at even moments
  }
}

BOOST_AUTO_TEST_CASE(only_two_agents_of_the_same_spaces_can_sit_down) {
  const std::string world = "environment `test.scripted/World-v0`";
  const auto refusal = [](const ScriptedEnvironment& script) {
    return error_of([&] { league::check_world(*make_environment(script)); });
  };
  ScriptedEnvironment alone;
  BOOST_TEST(refusal(alone) == "E1109 " + world + " has 1 agent, expected 2: the players of a league meet in pairs");
  Table three;
  three.agents.push_back({});
  three.agents[2].id = "agent_2";
  BOOST_TEST(refusal(three) == "E1109 " + world + " has 3 agents, expected 2: the players of a league meet in pairs");
  Table unequal;
  unequal.agents[1].act = Space::discrete(5);
  BOOST_TEST(refusal(unequal) ==
             "E1109 " + world +
                 ": the agents `agent_0` and `agent_1` cannot share a policy, because their spaces differ: `agent_0` "
                 "has observations Box(1) and actions Discrete(4), `agent_1` has observations Box(1) "
                 "and actions Discrete(5)");
  BOOST_TEST(refusal(Table()) == "nothing was thrown");
}

BOOST_AUTO_TEST_SUITE_END()
