#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(rollout_worker)

BOOST_AUTO_TEST_CASE(next_observation_is_the_true_one_where_an_episode_ends) {
  ScriptedEnvironment world;
  world.agents[0].columns = {"truncated"};
  world.terminated = [](const Moment& m) { return m.episode == 1 && m.t == 3; };
  world.truncated = [](const Moment& m) { return m.episode == 2 && m.t == 2; };
  ScriptedAlgorithm script;
  Stage stage(world, script);
  stage.start();
  stage.steps(6);
  // A reset observation would be 2000 where 1003 stands and 3000 where 2002 stands.
  check_rows(stage.memory(), {{1000, 0, 1, 0.9F, 1001, 0},
                              {1001, 0, 1, 0.9F, 1002, 0},
                              {1002, 0, 1, 0, 1003, 1},
                              {2000, 0, 1, 0.9F, 2001, 0},
                              {2001, 0, 1, 0.9F, 2002, 0},
                              {3000, 0, 1, 0.9F, 3001, 0}});
}

BOOST_AUTO_TEST_CASE(truncation_goes_on_bootstrapping_and_termination_does_not) {
  for (const bool terminates : {false, true}) {
    ScriptedEnvironment world;
    world.agents[0].columns = {"truncated"};
    const auto ends = [](const Moment& m) { return m.t == 4; };
    (terminates ? world.terminated : world.truncated) = ends;
    ScriptedAlgorithm script;
    script.needs.n_step = 3;
    Stage stage(world, script);
    stage.start();
    stage.steps(4);
    const auto discount = [&](float gamma_k) { return terminates ? 0.0F : gamma_k; };
    const uint8_t flag = terminates ? 1 : 0;
    check_rows(stage.memory(), {{1000, 0, 2.71F, 0.729F, 1003, 0},
                                {1001, 0, 2.71F, discount(0.729F), 1004, flag},
                                {1002, 0, 1.9F, discount(0.81F), 1004, flag},
                                {1003, 0, 1, discount(0.9F), 1004, flag}});
  }
}

BOOST_AUTO_TEST_CASE(step_that_is_terminated_and_truncated_counts_as_terminated) {
  ScriptedEnvironment world;
  world.agents[0].columns = {"truncated"};
  world.terminated = world.truncated = [](const Moment& m) { return m.t == 1; };
  ScriptedAlgorithm script;
  Stage stage(world, script);
  stage.start();
  stage.steps(2);
  check_rows(stage.memory(), {{1000, 0, 1, 0, 1001, 1}, {2000, 0, 1, 0, 2001, 1}});
}

BOOST_AUTO_TEST_CASE(time_limit_is_applied_by_the_host_and_truncates) {
  ScriptedEnvironment world;  // gives no "truncated" at all
  world.time_limit = 2;
  world.terminated = [](const Moment& m) { return m.episode == 2 && m.t == 2; };  // at the limit: an end all the same
  ScriptedAlgorithm script;
  Stage stage(world, script);
  stage.start();
  stage.steps(5);
  check_rows(stage.memory(), {{1000, 0, 1, 0.9F, 1001, 0},
                              {1001, 0, 1, 0.9F, 1002, 0},
                              {2000, 0, 1, 0.9F, 2001, 0},
                              {2001, 0, 1, 0, 2002, 1},
                              {3000, 0, 1, 0.9F, 3001, 0}});
  BOOST_REQUIRE(stage.episodes.size() == 2u);
  BOOST_TEST(stage.episodes[0].length == 2u);
}

BOOST_AUTO_TEST_CASE(only_copies_that_ended_are_reset) {
  ScriptedEnvironment world;
  world.terminated = [](const Moment& m) { return m.copy == 1 && m.t == 2; };
  ScriptedAlgorithm script;
  Stage stage(world, script, 3);
  stage.start(5);
  stage.steps(3);
  BOOST_REQUIRE(world.resets.size() == 2u);
  BOOST_TEST(world.resets[0].mask.empty());
  BOOST_TEST(world.resets[0].seeds == (std::vector<uint64_t>{5, 6, 7}), boost::test_tools::per_element());
  BOOST_TEST(world.resets[1].mask == (std::vector<uint8_t>{0, 1, 0}), boost::test_tools::per_element());
  BOOST_TEST(world.resets[1].seeds.empty());  // each copy's own generator goes on
  // What the algorithm saw: copy 1 begins its second episode in the third step, the others go on.
  BOOST_TEST(script.acted[2].obs == (std::vector<float>{1002, 102000, 201002}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[0].first == (std::vector<uint8_t>{1, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[1].first == (std::vector<uint8_t>{0, 0, 0}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[2].first == (std::vector<uint8_t>{0, 1, 0}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[2].lanes == (std::vector<uint64_t>{0, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[2].step == 6u);
  BOOST_TEST(script.acted[2].mode == static_cast<uint32_t>(SPAR_MODE_EXPLORE));
}

BOOST_AUTO_TEST_CASE(episode_returns_and_lengths_are_exact) {
  ScriptedEnvironment world;
  world.terminated = [](const Moment& m) { return m.t == m.copy + 2; };
  world.reward = [](const Moment& m, size_t) { return static_cast<float>(m.t * (m.copy + 1)); };
  ScriptedAlgorithm script;
  script.needs.reward_transform = "scale(0.5)";  // returns are of the raw rewards
  Stage stage(world, script, 2);
  stage.start();
  stage.steps(4);
  // copy 0: 1 + 2 in 2 steps, twice; copy 1: 2 (1 + 2 + 3) in 3 steps.
  BOOST_REQUIRE(stage.episodes.size() == 3u);
  const double returns[] = {3, 12, 3};
  const uint64_t lengths[] = {2, 3, 2}, lanes[] = {0, 1, 0};
  for (size_t i = 0; i < 3; ++i) {
    BOOST_TEST(stage.episodes[i].episode_return == returns[i]);
    BOOST_TEST(stage.episodes[i].length == lengths[i]);
    BOOST_TEST(stage.episodes[i].lane == lanes[i]);
    BOOST_TEST(stage.episodes[i].agent == 0u);
  }
}

BOOST_AUTO_TEST_CASE(budget_is_met_exactly_when_the_copies_do_not_divide_it) {
  ScriptedEnvironment world;
  world.terminated = [](const Moment& m) { return m.t == 2; };
  ScriptedAlgorithm script;
  Stage stage(world, script, 3);
  stage.start();
  stage.steps(1);
  BOOST_TEST(stage.worker->step(3, 2) == 2u);  // 5 in all
  BOOST_TEST(stage.worker->finished().size() == 2u);
  check_rows(stage.memory(), {{1000, 0, 1, 0.9F, 1001, 0},
                              {101000, 0, 1, 0.9F, 101001, 0},
                              {201000, 0, 1, 0.9F, 201001, 0},
                              {1001, 0, 1, 0, 1002, 1},
                              {101001, 0, 1, 0, 101002, 1}});
}

BOOST_AUTO_TEST_CASE(each_agent_has_its_own_actions_rewards_and_memory) {
  ScriptedEnvironment world;
  world.agents.resize(2);
  world.agents[1].id = "agent_1";
  world.agents[1].act = Space::box({-2.0}, {4.0});
  world.reward = [](const Moment&, size_t agent) { return agent == 0 ? 1.0F : -2.0F; };
  world.observe = [](const Moment& m, size_t agent, size_t, size_t) {
    return number_of(m) + (agent == 0 ? 0.0F : 500.0F);
  };
  world.terminated = [](const Moment& m) { return m.t == 2; };
  ScriptedAlgorithm script;
  Stage stage(world, script);
  stage.start();
  stage.steps(2);
  check_rows(stage.memory("agent_0"), {{1000, 0, 1, 0.9F, 1001, 0}, {1001, 0, 1, 0, 1002, 1}});
  check_rows(stage.memory("agent_1"), {{1500, 0, -2, 0.9F, 1501, 0}, {1501, 0, -2, 0, 1502, 1}});
  BOOST_REQUIRE(stage.episodes.size() == 2u);
  BOOST_TEST(stage.episodes[0].episode_return == 2.0);
  BOOST_TEST(stage.episodes[1].agent == 1u);
  BOOST_TEST(stage.episodes[1].episode_return == -4.0);
}

BOOST_AUTO_TEST_CASE(leaves_of_a_dict_observation_are_columns_of_their_own) {
  Space position = Space::box(2, -1, 1), picture = Space::image(1, 2, 1);
  const char* keys[] = {"position", "picture"};
  const spar_space* children[] = {position.abi(), picture.abi()};
  spar_space dict{};
  dict.struct_size = sizeof dict;
  dict.kind = SPAR_SPACE_DICT;
  dict.n_children = 2;
  dict.keys = keys;
  dict.children = children;
  ScriptedEnvironment world;
  world.agents[0].obs_override = &dict;
  world.observe = [](const Moment& m, size_t, size_t leaf, size_t j) {
    return static_cast<float>(m.t * 10 + leaf * 4 + j);
  };
  ScriptedAlgorithm script;
  std::vector<std::string> names;
  script.act = [&](const spar_act&, const spar_batch& obs, spar_batch&) {
    names.clear();
    for (uint32_t i = 0; i < obs.n_columns; ++i) names.emplace_back(view(obs.columns[i].name));
  };
  Stage stage(world, script);
  stage.start();
  stage.steps(1);
  BOOST_TEST(names == (std::vector<std::string>{"obs/position", "obs/picture", "first"}),
             boost::test_tools::per_element());
  spar_ctx* ctx = script.contexts.at("learner/agent_0");
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  ctx->buffer->sample(1, 0, &batch);
  const auto at = column<float>(batch, "obs/position"), next = column<float>(batch, "next_obs/position");
  const auto seen = column<uint8_t>(batch, "obs/picture"), after = column<uint8_t>(batch, "next_obs/picture");
  BOOST_TEST((at(0, 0) == 0 && at(0, 1) == 1 && next(0, 0) == 10 && next(0, 1) == 11));
  BOOST_TEST((seen(0, 0) == 4 && seen(0, 1) == 5 && after(0, 0) == 14 && after(0, 1) == 15));
  ctx->buffer->release(&batch);
}

BOOST_AUTO_TEST_CASE(algorithm_is_not_asked_before_the_warm_up_is_over) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  script.needs.warmup = 6;
  Stage stage(world, script, 2);
  stage.start();
  stage.steps(3);
  BOOST_TEST(script.acted.empty());
  stage.steps(1);
  BOOST_TEST(script.acted.size() == 1u);
}

BOOST_AUTO_TEST_CASE(restored_worker_goes_on_as_if_nothing_had_happened) {
  const auto configure = [](ScriptedEnvironment& world, ScriptedAlgorithm& script) {
    world.terminated = [](const Moment& m) { return m.t == 3 + m.copy; };
    script.needs.warmup = 100;  // the warm-up's generator is part of the state
    script.needs.n_step = 3;
    script.state = "the algorithm's own";
  };
  ScriptedEnvironment world, other_world;
  ScriptedAlgorithm script, other_script;
  configure(world, script);
  configure(other_world, other_script);
  other_script.state.clear();
  Stage stage(world, script, 2), other(other_world, other_script, 2);
  stage.start();
  stage.steps(4);
  other.load(stage.save());
  BOOST_TEST(other_script.state == script.state);
  other.env_steps = stage.env_steps;
  stage.episodes.clear();
  stage.steps(7);
  other.steps(7);
  BOOST_TEST((stage.memory() == other.memory()));
  BOOST_TEST(stage.episodes.size() == other.episodes.size());
  for (size_t i = 0; i < stage.episodes.size(); ++i) {
    BOOST_TEST(stage.episodes[i].episode_return == other.episodes[i].episode_return);
    BOOST_TEST(stage.episodes[i].length == other.episodes[i].length);
  }
  BOOST_TEST((stage.save() == other.save()));
}

BOOST_AUTO_TEST_SUITE_END()
