#include "core/rollout/transform.hpp"

#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;
using rollout::TransformSpec;

namespace {

/// Rewards of a sample of everything, in the order of storage.
std::vector<float> sampled_rewards(Stage& stage) {
  spar_ctx* ctx = stage.algorithm.contexts.at("learner/agent_0");
  const auto* service =
      static_cast<const spar_svc_buffer*>(scripted_host().get_service(&scripted_host(), SPAR_SVC_BUFFER));
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  const spar_query query{sizeof query, 0, 256, 0};
  spar_error error{};
  error.struct_size = sizeof error;
  BOOST_REQUIRE(service->sample(ctx, &query, &batch, &error) == SPAR_OK);
  std::map<uint64_t, float> rows;
  for (uint64_t i = 0; i < batch.rows; ++i) rows[batch.index[i]] = column<float>(batch, "reward")(i);
  service->release(ctx, &batch);
  std::vector<float> out;
  for (const auto& [index, reward] : rows) out.push_back(reward);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout_transform)

BOOST_AUTO_TEST_CASE(spellings_are_read) {
  using Kind = TransformSpec::Kind;
  BOOST_TEST((TransformSpec::parse("", "o").kind == Kind::none));
  BOOST_TEST((TransformSpec::parse("normalise", "o").kind == Kind::normalise));
  const auto scale = TransformSpec::parse("scale(-0.5)", "o"), clip = TransformSpec::parse("clip(1e1)", "o");
  BOOST_TEST((scale.kind == Kind::scale && scale.amount == -0.5));
  BOOST_TEST((clip.kind == Kind::clip && clip.amount == 10));
}

BOOST_AUTO_TEST_CASE(other_spellings_are_refused_with_what_is_offered) {
  for (const char* text : {"scale", "scale()", "scale(0)", "scale(x)", "scale(1", "scale(inf)", "clip(-1)", "clip(0)",
                           "clip(nan)", "normalize", "scale(1)x", "scale( 1)"}) {
    BOOST_TEST(error_of([&] { TransformSpec::parse(text, "reward_transform"); }) ==
               "E0707 reward_transform is \"" + std::string(text) +
                   "\", expected scale(x) with x not 0, clip(x) with x > 0, normalise, or nothing");
  }
}

BOOST_AUTO_TEST_CASE(scaled_and_clipped_observations_are_what_act_and_samples_show) {
  for (const auto& [text, expected] : {std::pair<const char*, float>{"scale(0.5)", 500}, {"clip(300)", 300}}) {
    ScriptedEnvironment world;
    ScriptedAlgorithm script;
    script.needs.state_transform = text;
    Stage stage(world, script);
    stage.start();
    stage.steps(1);
    BOOST_TEST(script.acted[0].obs[0] == expected);
    BOOST_TEST(stage.memory()[0].obs == 1000.0F);  // raw in memory
    spar_ctx* ctx = script.contexts.at("learner/agent_0");
    const auto* service =
        static_cast<const spar_svc_buffer*>(scripted_host().get_service(&scripted_host(), SPAR_SVC_BUFFER));
    spar_batch batch{};
    batch.struct_size = sizeof batch;
    const spar_query query{sizeof query, 0, 1, 0};
    spar_error error{};
    error.struct_size = sizeof error;
    BOOST_REQUIRE(service->sample(ctx, &query, &batch, &error) == SPAR_OK);
    BOOST_TEST(column<float>(batch, "obs")(0) == expected);
    BOOST_TEST(column<float>(batch, "next_obs")(0) == (expected == 300 ? 300.0F : 500.5F));
    service->release(ctx, &batch);
  }
}

BOOST_AUTO_TEST_CASE(rewards_are_scaled_or_clipped_before_the_n_step_sum) {
  for (const auto& [text, each] : {std::pair<const char*, float>{"scale(0.5)", 2}, {"clip(1)", 1}}) {
    ScriptedEnvironment world;
    world.reward = [](const Moment&, size_t) { return 4.0F; };
    ScriptedAlgorithm script;
    script.needs.reward_transform = text;
    script.needs.n_step = 2;
    Stage stage(world, script);
    stage.start();
    stage.steps(2);
    BOOST_TEST(stage.memory()[0].reward == each * 1.9F);
    BOOST_TEST(sampled_rewards(stage)[0] == each * 1.9F);  // and not once more
  }
}

BOOST_AUTO_TEST_CASE(observations_are_normalised_by_all_that_was_seen_while_exploring) {
  ScriptedEnvironment world;
  world.observe = [](const Moment& m, size_t, size_t, size_t) { return static_cast<float>(m.t % 2 == 0 ? 10 : 20); };
  ScriptedAlgorithm script;
  script.needs.state_transform = "normalise";
  script.needs.warmup = 100;
  Stage stage(world, script);
  stage.start();
  stage.steps(101);
  // 51 times 10 and 50 times 20, the warm-up's included: mean 14.95, standard deviation 5.
  BOOST_TEST(std::abs(script.acted[0].obs[0] + 0.99F) < 0.01F, "first observation seen is " << script.acted[0].obs[0]);
}

BOOST_AUTO_TEST_CASE(normalised_observation_stays_within_ten) {
  ScriptedEnvironment world;
  world.observe = [](const Moment& m, size_t, size_t, size_t) { return m.t == 1000 ? 1e6F : 0.0F; };
  ScriptedAlgorithm script;
  script.needs.state_transform = "normalise";
  script.needs.warmup = 1'000;
  Stage stage(world, script);
  stage.start();
  stage.steps(1'001);
  BOOST_TEST(script.acted[0].obs[0] == 10.0F);
}

BOOST_AUTO_TEST_CASE(greedy_acting_uses_the_statistics_and_does_not_learn_them) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  script.needs.state_transform = "normalise";
  Stage stage(world, script);
  stage.start();
  stage.steps(10);
  const auto before = stage.save();
  rollout::Batch obs(1), actions(1);
  obs.add("obs", SPAR_DTYPE_FLOAT, 32, {1});
  obs.add("first", SPAR_DTYPE_UINT, 8, {});
  actions.add("action", SPAR_DTYPE_INT, 64, {});
  const uint64_t lane = 0;
  float seen[2];
  for (float& x : seen) {
    obs.data<float>(0)[0] = 1004.5F;  // the mean of 1000 .. 1009
    stage.learners[0]->act(SPAR_MODE_GREEDY, 0, obs, actions, 1, &lane);
    x = script.acted.back().obs[0];
  }
  BOOST_TEST(std::abs(seen[0]) < 0.01F);
  BOOST_TEST(seen[0] == seen[1]);
  BOOST_TEST((stage.save() == before));
}

BOOST_AUTO_TEST_CASE(rewards_are_divided_by_the_deviation_of_the_discounted_return) {
  ScriptedEnvironment world;
  world.reward = [](const Moment& m, size_t) { return static_cast<float>(m.t); };
  world.terminated = [](const Moment& m) { return m.t == 2; };
  ScriptedAlgorithm script;
  script.needs.reward_transform = "normalise";
  Stage stage(world, script);
  stage.start();
  stage.steps(40);
  // G is 1, 0.9 + 2 = 2.9, and starts anew: mean 1.95, deviation 0.95.
  const auto rewards = sampled_rewards(stage);
  BOOST_REQUIRE(rewards.size() == 40u);
  BOOST_TEST(std::abs(rewards[0] - 1 / 0.95F) < 1e-3F);
  BOOST_TEST(std::abs(rewards[1] - 2 / 0.95F) < 2e-3F);
  BOOST_TEST(stage.memory()[1].reward == 2.0F);  // raw in memory
}

BOOST_AUTO_TEST_CASE(statistics_are_saved_and_policies_carry_those_of_observations) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script, fresh;
  for (ScriptedAlgorithm* one : {&script, &fresh}) {
    one->needs.state_transform = one->needs.reward_transform = "normalise";
  }
  Stage stage(world, script), other(world, fresh), third(world, fresh);
  stage.start();
  stage.steps(20);
  other.load(stage.save());
  other.env_steps = stage.env_steps;
  stage.steps(1);
  other.steps(1);
  BOOST_TEST(fresh.acted.back().obs[0] == script.acted.back().obs[0]);
  BOOST_TEST((other.save() == stage.save()));

  // What acting needs comes first, and no more than that is taken.
  const auto saved = [](const Stage& from) {
    ByteWriter writer;
    from.learners[0]->save(writer);
    return writer.take();
  };
  const auto whole = saved(stage), before = saved(third);
  ByteReader reader(whole, "learner");
  third.learners[0]->load_policy(reader);
  const auto policy = static_cast<std::ptrdiff_t>(whole.size() - reader.left());
  const auto after = saved(third);
  BOOST_TEST(std::equal(whole.begin(), whole.begin() + policy, after.begin()));
  BOOST_TEST(!std::equal(whole.begin(), whole.begin() + policy, before.begin()));
  BOOST_TEST(std::equal(before.begin() + policy, before.end(), after.begin() + policy, after.end()));
}

BOOST_AUTO_TEST_CASE(leaves_that_are_not_float32_are_left_alone) {
  ScriptedEnvironment world;
  world.agents[0].obs = Space::image(1, 1, 1);
  world.observe = [](const Moment&, size_t, size_t, size_t) { return 200.0F; };
  ScriptedAlgorithm script;
  script.needs.state_transform = "normalise";
  uint8_t seen = 0;
  script.act = [&](const spar_act&, const spar_batch& obs, spar_batch&) { seen = column<uint8_t>(obs, "obs")(0); };
  Stage stage(world, script);
  stage.start();
  stage.steps(2);
  BOOST_TEST(int{seen} == 200);
}

BOOST_AUTO_TEST_SUITE_END()
