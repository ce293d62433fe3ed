#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr uint32_t kHosted = SPAR_ALGO_DISCRETE | SPAR_ALGO_HOSTED_NETWORKS;

/// A network of 3 numbers, as a plugin's create() would make it.
nn::Network& add_network(nn::NetworkSet& set, const std::string& name) {
  spar_net_spec spec{};
  spec.struct_size = sizeof spec;
  spec.out = 3;
  spec.max_rows = 1;
  spec.json = "{\"value\":[0,0,0]}";
  return set.create(1, "test", name, spec);
}

std::vector<float> values_of(const nn::Network& network) {
  std::vector<float> out(3);
  network.read(SPAR_NET_VALUES, out.data(), out.size() * sizeof(float));
  return out;
}

void set_values(nn::Network& network, std::vector<float> values) {
  network.write(SPAR_NET_VALUES, values.data(), values.size() * sizeof(float));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout_actor)

BOOST_AUTO_TEST_CASE(copies_of_the_environment_are_divided_among_the_actors) {
  ScriptedEnvironment world;
  world.terminated = [](const Moment& m) { return m.copy == 3 && m.t == 1; };
  ScriptedAlgorithm script(kHosted);
  script.needs.actors = 2;
  script.act = [](const spar_act&, const spar_batch& obs, spar_batch& out) {
    for (uint64_t i = 0; i < out.rows; ++i) column<int64_t>(out, "action")(i) = static_cast<int64_t>(obs.index[i] % 4);
  };
  Stage stage(world, script, 5);
  BOOST_REQUIRE(script.made.size() == 3u);
  BOOST_TEST(script.made[0].role == static_cast<uint32_t>(SPAR_ROLE_TRAIN));
  for (uint32_t i = 0; i < 2; ++i) {
    const auto& made = script.made[i + 1];
    BOOST_TEST(made.name == "learner/agent_0/actor/" + std::to_string(i));
    BOOST_TEST((made.role == SPAR_ROLE_ACT && made.actor == i && made.n_actors == 2 && made.max_rows == 5));
  }
  stage.start();
  stage.steps(2);
  BOOST_REQUIRE(script.acted.size() == 4u);
  const auto& first = script.acted[2];
  const auto& second = script.acted[3];
  BOOST_TEST((first.by == "learner/agent_0/actor/0" && second.by == "learner/agent_0/actor/1"));
  BOOST_TEST(first.lanes == (std::vector<uint64_t>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(second.lanes == (std::vector<uint64_t>{2, 3, 4}), boost::test_tools::per_element());
  BOOST_TEST(first.obs == (std::vector<float>{1001, 101001}), boost::test_tools::per_element());
  BOOST_TEST(second.obs == (std::vector<float>{201001, 302000, 401001}), boost::test_tools::per_element());
  BOOST_TEST(second.first == (std::vector<uint8_t>{0, 1, 0}), boost::test_tools::per_element());
  // Each row's action reached its own copy.
  BOOST_TEST(world.discrete[0] == (std::vector<int64_t>{0, 1, 2, 3, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(greedy_actions_are_the_learners_own) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script(kHosted);
  script.needs.actors = 2;
  Stage stage(world, script, 2);
  stage.start();
  rollout::Batch obs(2), actions(2);
  obs.add("obs", SPAR_DTYPE_FLOAT, 32, {1});
  obs.add("first", SPAR_DTYPE_UINT, 8, {});
  actions.add("action", SPAR_DTYPE_INT, 64, {});
  const uint64_t lanes[] = {0, 1};
  stage.learners[0]->act(SPAR_MODE_GREEDY, 0, obs, actions, 2, lanes);
  BOOST_REQUIRE(script.acted.size() == 1u);
  BOOST_TEST(script.acted[0].by == "learner/agent_0");
}

BOOST_AUTO_TEST_CASE(networks_are_those_of_the_newest_snapshot) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script(kHosted);
  script.needs.actors = 2;
  Stage stage(world, script, 2);
  rollout::Learner& learner = *stage.learners[0];
  nn::Network& learnt = add_network(learner.networks(), "policy");
  add_network(learner.networks(), "critic");
  for (const auto& actor : learner.actors()) add_network(actor->networks(), "policy");
  for (uint64_t version = 1; version <= 3; ++version) {
    const std::vector<float> values = {static_cast<float>(version), 2, 3};
    set_values(learnt, values);
    learner.refresh_actors();
    for (const auto& actor : learner.actors()) {
      BOOST_TEST(values_of(*actor->networks().find("policy")) == values, boost::test_tools::per_element());
      BOOST_TEST(actor->version() == version);
    }
    const auto published = stage.params.fetch("learner/agent_0/actors");
    BOOST_TEST(published->version == version);
    BOOST_REQUIRE(published->tensors.size() == 1u);  // actors have no use for the critic
    BOOST_TEST(published->tensors[0].name == "policy");
  }
}

BOOST_AUTO_TEST_CASE(snapshot_of_other_networks_is_refused) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script(kHosted);
  script.needs.actors = 2;
  Stage stage(world, script, 2);
  rollout::Actor& actor = *stage.learners[0]->actors()[1];
  add_network(actor.networks(), "policy");
  params::Snapshot snapshot;
  snapshot.version = 7;
  const std::string expected =
      "E0501 algorithm `test.scripted`, actor 1: snapshot 7 of the parameters has no network `policy` of vector of 3";
  BOOST_TEST(error_of([&] { actor.take(snapshot); }) == expected);
  snapshot.tensors.push_back({"policy", SPAR_DTYPE_FLOAT, 32, {2}, std::vector<std::byte>(8)});
  BOOST_TEST(error_of([&] { actor.take(snapshot); }) == expected);
}

BOOST_AUTO_TEST_CASE(state_of_every_actor_is_saved) {
  ScriptedEnvironment world, other_world;
  ScriptedAlgorithm script(kHosted), other_script(kHosted);
  script.needs.actors = other_script.needs.actors = 2;
  Stage stage(world, script, 2), other(other_world, other_script, 2);
  for (Stage* one : {&stage, &other})
    for (const auto& actor : one->learners[0]->actors()) add_network(actor->networks(), "policy");
  stage.start();
  stage.steps(3);
  set_values(*stage.learners[0]->actors()[1]->networks().find("policy"), {1, 2, 3});
  for (int i = 0; i < 2; ++i) {
    auto& random = script.contexts.at("learner/agent_0/actor/" + std::to_string(i))->random;
    for (int draws = 0; draws <= i; ++draws) random.bits();
  }
  other.load(stage.save());
  BOOST_TEST((other.save() == stage.save()));
  BOOST_TEST(values_of(*other.learners[0]->actors()[1]->networks().find("policy")) == (std::vector<float>{1, 2, 3}),
             boost::test_tools::per_element());
  std::vector<uint64_t> draws;
  for (int i = 0; i < 2; ++i) {
    const std::string name = "learner/agent_0/actor/" + std::to_string(i);
    draws.push_back(script.contexts.at(name)->random.bits());
    BOOST_TEST(other_script.contexts.at(name)->random.bits() == draws.back());
  }
  BOOST_TEST(draws[0] != draws[1]);
}

BOOST_AUTO_TEST_CASE(actors_without_a_copy_to_act_in_are_refused) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script(kHosted);
  script.needs.actors = 3;
  try {
    Stage stage(world, script, 2);
    BOOST_ERROR("2 copies were divided among 3 actors");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0711");
    BOOST_TEST((error.exit() == Exit::usage));
    BOOST_TEST(std::string(error.what()) ==
               "algorithm `test.scripted` wants 3 parallel actors and can have 2: one for each agent that it plays in "
               "each copy of the environment");
    BOOST_TEST(error.help() == "raise env.count, or ask for fewer actors (num_workers of d4pg)");
  }
  BOOST_TEST(script.alive == 0);
}

BOOST_AUTO_TEST_CASE(actors_need_networks_of_the_host) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  script.needs.actors = 2;
  BOOST_TEST(error_of([&] { Stage stage(world, script, 2); }) ==
             "E0708 algorithm `test.scripted` wants 2 parallel actors and keeps what it learns outside the host's "
             "networks (SPAR_ALGO_HOSTED_NETWORKS is not set)");
  BOOST_TEST(script.alive == 0);
}

BOOST_AUTO_TEST_CASE(failing_actor_is_named) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script(kHosted);
  script.needs.actors = 2;
  Stage stage(world, script, 2);
  stage.start();
  script.fails_in = "act";
  BOOST_TEST(error_of([&] { stage.steps(1); }) ==
             "E0701 algorithm `test.scripted`, actor 0 failed in act(): the script says so");
}

BOOST_AUTO_TEST_SUITE_END()
