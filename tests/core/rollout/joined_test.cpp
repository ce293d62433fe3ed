#include "core/rollout/joined.hpp"

#include <array>
#include <cmath>
#include <span>

#include "core/rollout/evaluation.hpp"
#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kCrowd = "environment `test.scripted/World-v0`";

/// `n` agents: agent k sees the number of the moment + 500 k and is paid 10^k a step; an episode takes 3 steps.
struct Crowd : ScriptedEnvironment {
  explicit Crowd(size_t n = 2) {
    agents.resize(n);
    for (size_t k = 0; k < n; ++k) agents[k].id = "agent_" + std::to_string(k);
    observe = [](const Moment& m, size_t agent, size_t, size_t j) {
      return number_of(m) + 500.0F * static_cast<float>(agent) + 100.0F * static_cast<float>(j);
    };
    reward = [](const Moment&, size_t agent) { return std::pow(10.0F, static_cast<float>(agent)); };
    terminated = [](const Moment& m) { return m.t == 3; };
  }
};

/// Answers `answer(lane)`.
void answer_by_lane(ScriptedAlgorithm& script, std::function<int64_t(uint64_t lane)> answer) {
  script.act = [answer](const spar_act&, const spar_batch& obs, spar_batch& out) {
    const auto action = column<int64_t>(out, "action");
    for (uint64_t i = 0; i < obs.rows; ++i) action(i) = answer(obs.index[i]);
  };
}

int64_t action_of(Stage& stage, size_t agent, uint64_t copy) {
  return stage.environment->agents()[agent].in->data<int64_t>(0)[copy];
}

std::string group_refusal(const Crowd& world, const Group& group) {
  ScriptedAlgorithm script;
  script.honour_masks();
  try {
    Stage stage(world, script, 1, {}, {group});
    stage.start();
    return "nothing was thrown";
  } catch (const Error& error) {
    return error.code() + " " + error.what() + ": " + error.help();
  }
}

const Group kRows{"pair", {0, 1}, rollout::Join::rows}, kJoint{"pair", {0, 1}, rollout::Join::joint};

}  // namespace

BOOST_AUTO_TEST_SUITE(joined_rows)

BOOST_AUTO_TEST_CASE(learner_is_asked_for_every_agent_of_every_copy_at_once) {
  Crowd world;
  ScriptedAlgorithm script;
  answer_by_lane(script, [](uint64_t lane) { return static_cast<int64_t>(lane); });
  Stage stage(world, script, 2, {}, {kRows});
  stage.start();
  stage.steps(1);
  BOOST_REQUIRE(script.acted.size() == 1u);
  BOOST_TEST(script.acted[0].lanes == (std::vector<uint64_t>{0, 1, 2, 3}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[0].obs == (std::vector<float>{1000, 1500, 101000, 101500}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[0].first == (std::vector<uint8_t>{1, 1, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(script.made[0].max_rows == 4u);
  BOOST_TEST(action_of(stage, 0, 0) == 0);
  BOOST_TEST(action_of(stage, 1, 0) == 1);
  BOOST_TEST(action_of(stage, 0, 1) == 2);
  BOOST_TEST(action_of(stage, 1, 1) == 3);
}

BOOST_AUTO_TEST_CASE(every_agent_and_copy_has_its_own_window) {
  Crowd world;
  ScriptedAlgorithm script;
  script.needs.n_step = 2;
  answer_by_lane(script, [](uint64_t lane) { return static_cast<int64_t>(lane); });
  Stage stage(world, script, 1, {}, {kRows});
  stage.start();
  stage.steps(4);
  check_rows(stage.memory("pair"), {{1000, 0, 1.9F, 0.81F, 1002, 0},
                                    {1500, 1, 19, 0.81F, 1502, 0},
                                    {1001, 0, 1.9F, 0, 1003, 1},
                                    {1002, 0, 1, 0, 1003, 1},
                                    {1501, 1, 19, 0, 1503, 1},
                                    {1502, 1, 10, 0, 1503, 1}});
}

BOOST_AUTO_TEST_CASE(first_is_told_to_the_lanes_of_the_copy_that_was_reset) {
  Crowd world;
  world.terminated = [](const Moment& m) { return m.copy == 1 && m.t == 1; };
  ScriptedAlgorithm script;
  Stage stage(world, script, 2, {}, {kRows});
  stage.start();
  stage.steps(2);
  BOOST_TEST(script.acted[1].first == (std::vector<uint8_t>{0, 0, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[1].obs == (std::vector<float>{1001, 1501, 102000, 102500}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(surplus_copies_of_a_budget_are_left_out_with_all_their_agents) {
  Crowd world;
  ScriptedAlgorithm script;
  Stage stage(world, script, 3, {}, {kRows});
  stage.start();
  stage.steps(1, 2);
  BOOST_TEST(stage.env_steps == 2u);
  check_rows(stage.memory("pair"), {{1000, 0, 1, 0.9F, 1001, 0},
                                    {1500, 0, 10, 0.9F, 1501, 0},
                                    {101000, 0, 1, 0.9F, 101001, 0},
                                    {101500, 0, 10, 0.9F, 101501, 0}});
}

BOOST_AUTO_TEST_CASE(episodes_are_those_of_the_agents) {
  Crowd world;
  ScriptedAlgorithm script;
  Stage stage(world, script, 2, {}, {kRows});
  stage.start();
  stage.steps(6);
  BOOST_REQUIRE(stage.episodes.size() == 8u);
  for (size_t i = 0; i < 8; ++i) {
    BOOST_TEST(stage.episodes[i].agent == i % 2);
    BOOST_TEST(stage.episodes[i].lane == i / 2 % 2);
    BOOST_TEST(stage.episodes[i].episode_return == (i % 2 == 0 ? 3.0 : 30.0));
    BOOST_TEST(stage.episodes[i].length == 3u);
  }
}

BOOST_AUTO_TEST_CASE(agents_outside_the_group_keep_their_own_learner) {
  Crowd world(3);
  ScriptedAlgorithm script;
  Stage stage(world, script, 1, {}, {{"ends", {2, 0}}});
  stage.start();
  stage.steps(3);
  check_rows(stage.memory("ends"), {{2000, 0, 100, 0.9F, 2001, 0},
                                    {1000, 0, 1, 0.9F, 1001, 0},
                                    {2001, 0, 100, 0.9F, 2002, 0},
                                    {1001, 0, 1, 0.9F, 1002, 0},
                                    {2002, 0, 100, 0, 2003, 1},
                                    {1002, 0, 1, 0, 1003, 1}});
  check_rows(stage.memory("agent_1"),
             {{1500, 0, 10, 0.9F, 1501, 0}, {1501, 0, 10, 0.9F, 1502, 0}, {1502, 0, 10, 0, 1503, 1}});
  BOOST_REQUIRE(stage.episodes.size() == 3u);
  BOOST_TEST(stage.episodes[0].agent == 2u);  // in the order of the group
  BOOST_TEST(stage.episodes[0].episode_return == 300.0);
  BOOST_TEST(stage.episodes[1].agent == 0u);
  BOOST_TEST(stage.episodes[1].episode_return == 3.0);
}

BOOST_AUTO_TEST_CASE(running_returns_are_those_of_the_lanes) {
  Crowd world;
  world.reward = [](const Moment&, size_t agent) { return agent == 0 ? 1.0F : -2.0F; };
  ScriptedAlgorithm script;
  script.needs.reward_transform = "normalise";
  Stage stage(world, script, 1, {}, {kRows});
  stage.start();
  stage.steps(2);
  rl::RunningNorm expected{1};
  expected.update(std::span<const double>(std::array{1.0, -2.0}));
  expected.update(std::span<const double>(std::array{1.9, -3.8}));
  float reward = 1;
  stage.learners[0]->transforms().reward.on_sample(&reward, 1);
  BOOST_TEST(std::abs(reward - 1 / std::sqrt(expected.variance()[0] + 1e-8)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(agents_of_a_group_may_take_turns) {
  Crowd game;
  for (auto& agent : game.agents) agent.columns = {"acting"};
  game.acts = [](const Moment& m, size_t agent) { return m.t % 2 == agent; };
  game.reward = [](const Moment& m, size_t agent) { return static_cast<float>(m.t * (agent + 1)); };
  game.terminated = [](const Moment& m) { return m.t == 4; };
  ScriptedAlgorithm script;
  Stage stage(game, script, 1, {}, {kRows});
  stage.start();
  stage.steps(4);
  for (size_t i = 0; i < 4; ++i) {
    BOOST_TEST(script.acted[i].lanes == std::vector<uint64_t>{i % 2}, boost::test_tools::per_element());
    BOOST_TEST(int{script.acted[i].first[0]} == (i < 2 ? 1 : 0));
  }
  // The first agent moves in 0 and 2, the second in 1 and 3; each is paid until it is to move again.
  check_rows(stage.memory("pair"), {{1000, 0, 1 + 2, 0.9F, 1002, 0},
                                    {1501, 0, 4 + 6, 0.9F, 1503, 0},
                                    {1002, 0, 3 + 4, 0, 1004, 1},
                                    {1503, 0, 8, 0, 1504, 1}});
}

BOOST_AUTO_TEST_CASE(spaces_that_differ_are_refused_with_both) {
  const std::string beginning =
      "E0310 " + kCrowd +
      ": the agents `agent_0` and `agent_1` cannot share a policy, because their spaces differ: `agent_0` has ";
  const std::string help =
      ": use teams = \"names\" or mode = \"joint\" of the strategy team, or the strategy independent";
  Crowd world;
  world.agents[1].obs = Space::box(2, -1, 1);
  BOOST_TEST(group_refusal(world, kRows) ==
             beginning +
                 "observations Box(1) and actions Discrete(4), `agent_1` has observations "
                 "Box(2) and actions Discrete(4)" +
                 help);
  Crowd others;
  others.agents[1].act = Space::discrete(5);
  BOOST_TEST(group_refusal(others, kRows) ==
             beginning +
                 "observations Box(1) and actions Discrete(4), `agent_1` has observations "
                 "Box(1) and actions Discrete(5)" +
                 help);
  Crowd bounds;
  bounds.agents[1].obs = Space::box(1, -1, 1);
  BOOST_TEST(group_refusal(bounds, kRows) ==
             beginning +
                 "observations Box(1) and actions Discrete(4), `agent_1` has observations "
                 "Box(1) and actions Discrete(4) with other bounds" +
                 help);
  Crowd masked;
  masked.agents[0].columns = {"action_mask"};
  BOOST_TEST(group_refusal(masked, kRows) == beginning +
                                                 "observations Box(1) and actions Discrete(4), masked, `agent_1` has "
                                                 "observations Box(1) and actions Discrete(4)" +
                                                 help);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(joined_spaces)

BOOST_AUTO_TEST_CASE(observations_follow_each_other_and_rewards_are_averaged) {
  Crowd world;
  world.agents[1].obs = Space::box(2, -1e6, 1e6);
  ScriptedAlgorithm script;
  script.needs.n_step = 2;
  Stage stage(world, script, 2, {}, {kJoint});
  stage.start();
  stage.steps(3);
  BOOST_TEST(script.acted[0].lanes == (std::vector<uint64_t>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[1].obs == (std::vector<float>{1001, 1501, 1601, 101001, 101501, 101601}),
             boost::test_tools::per_element());
  // 5.5 a step
  check_rows(stage.memory("pair"), {{1000, 0, 10.45F, 0.81F, 1002, 0},
                                    {101000, 0, 10.45F, 0.81F, 101002, 0},
                                    {1001, 0, 10.45F, 0, 1003, 1},
                                    {1002, 0, 5.5F, 0, 1003, 1},
                                    {101001, 0, 10.45F, 0, 101003, 1},
                                    {101002, 0, 5.5F, 0, 101003, 1}});
  BOOST_REQUIRE(stage.episodes.size() == 2u);  // of the team, under its first agent
  BOOST_TEST(stage.episodes[0].agent == 0u);
  BOOST_TEST(stage.episodes[0].episode_return == 16.5);
}

BOOST_AUTO_TEST_CASE(discrete_actions_are_digits_of_which_the_first_agents_is_the_slowest) {
  Crowd world(3);
  world.agents[0].act = Space::discrete(2);
  world.agents[1].act = Space::discrete(3);
  world.agents[2].act = Space::discrete(4);
  ScriptedAlgorithm script;
  answer_by_lane(script, [](uint64_t lane) { return static_cast<int64_t>(lane); });
  Stage stage(world, script, 24, {}, {{"all", {0, 1, 2}, rollout::Join::joint}});
  BOOST_TEST(stage.learners[0]->agent().action.n == 24);
  stage.start();
  stage.steps(1);
  uint64_t copy = 0;
  for (int64_t a = 0; a < 2; ++a)
    for (int64_t b = 0; b < 3; ++b)
      for (int64_t c = 0; c < 4; ++c, ++copy) {
        BOOST_TEST(action_of(stage, 0, copy) == a);
        BOOST_TEST(action_of(stage, 1, copy) == b);
        BOOST_TEST(action_of(stage, 2, copy) == c);
      }
}

BOOST_AUTO_TEST_CASE(box_actions_are_split_into_each_agents_own_box) {
  Crowd world;
  world.agents[0].act = Space::box({-2.0, 0.0}, {4.0, 10.0});
  world.agents[1].act = Space::box({-kInfinity}, {kInfinity});
  ScriptedAlgorithm script;
  script.act = [](const spar_act&, const spar_batch& obs, spar_batch& out) {
    const auto action = column<float>(out, "action");
    for (uint64_t i = 0; i < obs.rows; ++i) action(i, 0) = -1, action(i, 1) = 0.5F, action(i, 2) = 7 + float(i);
  };
  Stage stage(world, script, 2, {}, {kJoint});
  stage.start();
  stage.steps(1);
  const auto* first = stage.environment->agents()[0].in->data<float>(0);
  const auto* second = stage.environment->agents()[1].in->data<float>(0);
  for (const size_t copy : {0, 1}) {
    BOOST_TEST(first[2 * copy] == -2.0F);
    BOOST_TEST(first[2 * copy + 1] == 7.5F);
    BOOST_TEST(second[copy] == 7.0F + static_cast<float>(copy));
  }
}

BOOST_AUTO_TEST_CASE(combination_is_allowed_if_all_its_actions_are) {
  Crowd world(3);
  world.agents[0].act = Space::discrete(2);
  world.agents[1].act = Space::discrete(2);
  world.agents[2].act = Space::discrete(3);
  world.agents[0].columns = world.agents[2].columns = {"action_mask"};
  world.allows = [](const Moment& m, size_t agent, size_t action) {
    return agent == 0 ? action == m.copy : action != 1;
  };
  ScriptedAlgorithm script;
  script.honour_masks();
  answer_by_lane(script, [](uint64_t lane) { return lane == 0 ? 5 : 6; });
  Stage stage(world, script, 2, {}, {{"all", {0, 1, 2}, rollout::Join::joint}});
  stage.start();
  stage.steps(1);
  BOOST_TEST(script.acted[0].mask ==
                 (std::vector<uint8_t>{1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(action_of(stage, 2, 0) == 2);
  BOOST_TEST(action_of(stage, 0, 1) == 1);
  answer_by_lane(script, [](uint64_t) { return 0; });
  BOOST_TEST(error_of([&] { stage.steps(1); }) ==
             "E0706 algorithm `test.scripted` chose action 0 for agent `all`, which its action_mask forbids now");
}

BOOST_AUTO_TEST_CASE(agents_that_always_move_together_are_joined_and_others_are_not) {
  Crowd game;
  for (auto& agent : game.agents) agent.columns = {"acting"};
  game.acts = [](const Moment& m, size_t) { return m.t < 3; };  // as games are: nobody moves at the end
  ScriptedAlgorithm script;
  Stage stage(game, script, 1, {}, {kJoint});
  stage.start();
  stage.steps(3);
  BOOST_TEST(stage.memory("pair").size() == 3u);
  game.acts = [](const Moment& m, size_t agent) { return m.t % 2 == agent; };
  BOOST_TEST(group_refusal(game, kJoint) ==
             "E0310 " + kCrowd +
                 ": the agents `agent_0` and `agent_1` take turns, so they have no joint actions; expected agents that "
                 "always move together: use mode = \"shared\" of the strategy team, or the strategy independent");
}

BOOST_AUTO_TEST_CASE(spaces_that_cannot_be_joined_are_refused) {
  const std::string help = ": use mode = \"shared\" of the strategy team, or the strategy independent";
  Crowd pictures;
  pictures.agents[1].obs = Space::image(2, 2, 1);
  BOOST_TEST(group_refusal(pictures, kJoint) ==
             "E0310 " + kCrowd +
                 ": agent `agent_1` has observations Box(2x2x1), which cannot be joined; expected a Box of float32 for "
                 "every agent" +
                 help);
  Crowd mixed;
  mixed.agents[1].act = Space::box(1, -1, 1);
  BOOST_TEST(group_refusal(mixed, kJoint) ==
             "E0310 " + kCrowd +
                 ": agent `agent_1` has actions Box(1), which cannot be joined; expected the kind of actions that "
                 "`agent_0` has, Discrete(4)" +
                 help);
  Crowd many;
  many.agents[0].act = Space::discrete(257);
  many.agents[1].act = Space::discrete(256);
  BOOST_TEST(group_refusal(many, kJoint) ==
             "E0310 " + kCrowd +
                 ": agent `agent_1` has actions Discrete(256), which cannot be joined; expected at most 65536 "
                 "combinations of all agents' actions" +
                 help);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(joined_agents)

// The same bytes, whether one agent is played by itself or as a group of one.
BOOST_AUTO_TEST_CASE(group_of_one_is_that_agent) {
  const auto played = [](const std::vector<Group>& groups) {
    Crowd world(1);
    world.agents[0].act = Space::discrete(3);
    world.agents[0].columns = {"action_mask", "truncated", "acting"};
    world.allows = [](const Moment& m, size_t, size_t action) { return action != (m.t + m.copy) % 3; };
    world.acts = [](const Moment& m, size_t) { return m.t != 1; };
    world.truncated = [](const Moment& m) { return m.copy == 1 && m.t == 2; };
    ScriptedAlgorithm script;
    script.honour_masks();
    script.needs.n_step = 2;
    script.needs.warmup = 6;
    script.needs.reward_transform = script.needs.state_transform = "normalise";
    script.act = [](const spar_act&, const spar_batch& obs, spar_batch& out) {
      const auto mask = column<uint8_t>(obs, "action_mask");
      const auto action = column<int64_t>(out, "action");
      for (uint64_t i = 0; i < obs.rows; ++i) action(i) = mask(i, 0) ? 0 : 1;
    };
    Stage stage(world, script, 3, {}, groups);
    stage.start();
    stage.steps(11);
    BOOST_TEST(stage.memory().size() > 10u);
    return stage.save();
  };
  const auto alone = played({});
  BOOST_TEST((played({{"agent_0", {0}, rollout::Join::rows}}) == alone));
  BOOST_TEST((played({{"agent_0", {0}, rollout::Join::joint}}) == alone));
}

BOOST_AUTO_TEST_CASE(stage_that_was_saved_goes_on_alike) {
  for (const rollout::Join how : {rollout::Join::rows, rollout::Join::joint}) {
    Crowd world(3), again(3);
    ScriptedAlgorithm script, other;
    for (ScriptedAlgorithm* one : {&script, &other}) {
      one->needs.n_step = 3;
      one->needs.warmup = 5;
      answer_by_lane(*one, [](uint64_t lane) { return static_cast<int64_t>(lane % 4); });
    }
    const std::vector<Group> groups{{"ends", {0, 2}, how}};
    Stage stage(world, script, 2, {}, groups), second(again, other, 2, {}, groups);
    stage.start();
    stage.steps(4);  // in the middle of an episode
    second.load(stage.save());
    second.env_steps = stage.env_steps;
    stage.steps(5);
    second.steps(5);
    BOOST_TEST((second.save() == stage.save()));
    for (size_t i = 0; i < other.acted.size(); ++i)
      BOOST_TEST(other.acted[i].obs == script.acted[script.acted.size() - other.acted.size() + i].obs,
                 boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(evaluation_asks_the_learner_of_a_group_for_all_its_agents) {
  for (const Group& group : {kRows, kJoint}) {
    Crowd world, exam;
    exam.terminated = [](const Moment& m) { return m.t == 2 + m.copy; };
    ScriptedAlgorithm script;
    answer_by_lane(script, [](uint64_t) { return 3; });
    Stage stage(world, script, 2, {}, {group});
    const auto environment = make_environment(exam, 2);
    rollout::Joined joined(*environment, "pair", {0, 1}, group.how);
    const rollout::Participant player{stage.learners[0].get(), nullptr, &joined};
    const auto returns = rollout::evaluate(*environment, {player, player}, 0, 2, 7);
    BOOST_TEST(returns == (std::vector<double>{11, 16.5}), boost::test_tools::per_element());
    BOOST_REQUIRE(script.acted.size() == 3u);
    const auto& last = script.acted[2];  // the first copy is over
    BOOST_TEST(last.mode == static_cast<uint32_t>(SPAR_MODE_GREEDY));
    BOOST_TEST(last.obs == (std::vector<float>{101002, 101502}), boost::test_tools::per_element());
    if (group.how == rollout::Join::rows) {
      BOOST_TEST(last.lanes == (std::vector<uint64_t>{2, 3}), boost::test_tools::per_element());
      BOOST_TEST(environment->agents()[1].in->data<int64_t>(0)[1] == 3);
    } else {
      BOOST_TEST(last.lanes == std::vector<uint64_t>{1}, boost::test_tools::per_element());
      BOOST_TEST(environment->agents()[0].in->data<int64_t>(0)[1] == 0);
      BOOST_TEST(environment->agents()[1].in->data<int64_t>(0)[1] == 3);
    }
    BOOST_TEST(script.acted[0].first[0] == 1);
    BOOST_TEST(last.first[0] == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
