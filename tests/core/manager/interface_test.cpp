// Interfaces: what one learner's side answers, its services, and learning on its table alone.
#include <thread>

#include "core/manager/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// A pool that two managers share.
TrainingManagerConfig pooled(const TemporaryDirectory& directory, const std::shared_ptr<Services>& services,
                             const std::string& more = "") {
  TrainingManagerConfig out = climbing_config(directory);
  out.algorithms["default"] = small_dqn(more);
  out.services = services;
  return out;
}

std::string of_network(const params::Snapshot& snapshot) {
  std::string out;
  for (const auto& tensor : snapshot.tensors) out += tensor.name + " ";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(agent_interface)

BOOST_AUTO_TEST_CASE(answers_are_copies) {
  const TemporaryDirectory directory;
  TrainingManager manager(manager_plugins(), tag_config(directory));
  const AgentInterface& predators = manager.worker("predators");
  BOOST_TEST(predators.runtime_id() == "predators");
  BOOST_TEST(predators.governed_agents().size() == 3u);
  BOOST_TEST(predators.device() == "cpu");
  BOOST_TEST(predators.algorithm_key() == "predators");
  BOOST_TEST(manager.worker("prey").algorithm_key() == "default");
  BOOST_TEST(predators.get_algorithm("default").algorithm == "dqn");
  BOOST_TEST(predators.get_algorithms().size() == 2u);
  BOOST_TEST(manager_error([&] { predators.get_algorithm("sac"); }) ==
             "E1202 there is no algorithm with the key `sac`");
  BOOST_TEST(predators.strategy_spec().policy_ids.empty());
  const InterfaceState state = predators.get_interface_state();
  BOOST_TEST(name(state.status) == "idle");
  BOOST_TEST(state.parameter_version == 0u);
  BOOST_TEST(manager_error([&] { manager.worker("pray"); }) == "E1202 there is no runtime id `pray`");
}

BOOST_AUTO_TEST_CASE(parameters_travel_between_managers) {
  const TemporaryDirectory directory;
  const auto services = std::make_shared<Services>();
  const auto pool = services->offer_parameters("pool");
  TrainingManager teacher(manager_plugins(), pooled(directory, services)),
      pupil(manager_plugins(), pooled(directory, services));
  AgentInterface &from = teacher.worker("player_0"), &to = pupil.worker("player_0");
  BOOST_TEST(manager_error([&] { from.push(); }) == "E1203 `player_0` has no policy yet");
  teacher.run();
  teacher.retrieve_results();
  pupil.add_policies();
  for (AgentInterface* each : {&from, &to}) each->connect(1, "", "local:pool");
  BOOST_TEST(to.pull() == 0u);  // nobody has published
  BOOST_TEST(from.push() == 1u);
  BOOST_TEST(from.parameters_sha256() != to.parameters_sha256());
  BOOST_TEST(to.pull() == 1u);
  BOOST_TEST(to.get_interface_state().parameter_version == 1u);
  BOOST_TEST(to.pull() == 1u);  // nothing newer
  // The snapshot stays what it is while the teacher learns on.
  const auto snapshot = pool->fetch("player_0/policy-0");
  BOOST_REQUIRE(snapshot);
  const auto before = snapshot->tensors[0].data;
  from.train({"player_0", 0}, {{{Measure::train_steps, 5}}, {}});
  BOOST_TEST(from.push() == 2u);
  BOOST_TEST((snapshot->tensors[0].data == before));
  BOOST_TEST(to.pull() == 2u);
  BOOST_TEST(of_network(*pool->fetch("player_0/policy-0")).find("weight") != std::string::npos);
  BOOST_TEST(to.push() == 3u);
  const auto a = pool->fetch("player_0/policy-0", 2);
  BOOST_TEST((a->tensors[0].data == pool->fetch("player_0/policy-0")->tensors[0].data));
}

BOOST_AUTO_TEST_CASE(statistics_of_observations_travel_with_the_policy) {
  const TemporaryDirectory directory;
  const auto services = std::make_shared<Services>();
  const auto pool = services->offer_parameters("pool");
  const std::string normalised = "state_transform = \"normalise\"\n";
  TrainingManagerConfig config = tag_config(directory);
  config.algorithms = {{"default", small_dqn(normalised)}};
  config.agent_mapping = "identity";
  config.services = services;
  TrainingManager teacher(manager_plugins(), config), pupil(manager_plugins(), config);
  teacher.run();
  teacher.retrieve_results();
  pupil.add_policies();
  for (TrainingManager* each : {&teacher, &pupil}) each->worker("agent_0").connect(1, "", "local:pool");
  teacher.worker("agent_0").push();
  BOOST_TEST(pupil.worker("agent_0").pull() == 1u);
  pupil.worker("agent_0").push();
  const auto sent = pool->fetch("agent_0/policy-0");
  BOOST_TEST(of_network(*sent).ends_with("policy_state "));
  BOOST_TEST(pupil.worker("agent_0").parameters_sha256() == teacher.worker("agent_0").parameters_sha256());
}

BOOST_AUTO_TEST_CASE(another_network_is_refused_and_nothing_changes) {
  const TemporaryDirectory directory;
  const auto services = std::make_shared<Services>();
  services->offer_parameters("pool");
  TrainingManager small(manager_plugins(), pooled(directory, services));
  TrainingManagerConfig config = pooled(directory, services);
  config.algorithms["default"].custom_config = "hidden_layers = [8]";
  TrainingManager other(manager_plugins(), config);
  for (TrainingManager* each : {&small, &other}) {
    each->add_policies();
    each->worker("player_0").connect(1, "", "local:pool");
  }
  small.worker("player_0").push();
  const std::string before = other.worker("player_0").parameters_sha256();
  BOOST_TEST(manager_error([&] { other.worker("player_0").pull(); }).starts_with("E1004 "));
  BOOST_TEST(other.worker("player_0").parameters_sha256() == before);
  BOOST_TEST(other.worker("player_0").get_interface_state().parameter_version == 0u);
}

BOOST_AUTO_TEST_CASE(every_policy_is_published_once) {
  const TemporaryDirectory directory;
  TrainingManager manager(manager_plugins(), climbing_config(directory));
  manager.add_policies({}, 2);
  AgentInterface& player = manager.worker("player_0");
  const auto first = player.sync_remote_parameters(), second = player.sync_remote_parameters();
  BOOST_TEST(first.at("policy-0") == 1u);
  BOOST_TEST(first.at("policy-1") == 1u);
  BOOST_TEST(second.at("policy-0") == 1u);  // nobody trains it any more
  BOOST_TEST(second.at("policy-1") == 2u);
}

BOOST_AUTO_TEST_CASE(connection_waits_for_a_service_and_tells_why_there_is_none) {
  const TemporaryDirectory directory;
  const auto services = std::make_shared<Services>();
  TrainingManager manager(manager_plugins(), pooled(directory, services));
  AgentInterface& player = manager.worker("player_0");
  BOOST_TEST(manager_error([&] { player.connect(3, "", "local:pool"); }) ==
             "E1205 `local:pool` could not be reached in 3 tries: there is no parameter server `local:pool`; there is "
             "none");
  try {
    player.connect(1, "unix:/tmp/x", "");
    BOOST_ERROR("no error");
  } catch (const ConnectError& error) {
    BOOST_TEST(error.reference() == "unix:/tmp/x");
    BOOST_TEST(error.cause() == "`unix:/tmp/x` has no scheme that is served; expected local:NAME");
  }
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    services->offer_tables("data");
  });
  player.connect(20, "local:data", "");
  later.join();
  player.connect(20, "local:data", "");  // nothing to do
  const auto info = services->tables("local:data")->find("player_0");
  BOOST_REQUIRE(info.has_value());
  BOOST_TEST(info->capacity == 2'000u);
  BOOST_TEST(info->rows == 0u);
  manager.run();
  manager.retrieve_results();
  BOOST_TEST(services->tables("local:data")->find("player_0")->rows > 200u);
  TrainingManager alone(manager_plugins(), climbing_config(directory));
  BOOST_TEST(manager_error([&] { alone.worker("player_0").connect(1, "", "local:pool"); }) ==
             "E1205 `local:pool` could not be reached in 1 try: this manager was given no services to find "
             "`local:pool` in");
}

BOOST_AUTO_TEST_CASE(learns_on_its_table_alone) {
  const TemporaryDirectory directory;
  TrainingManagerConfig config = climbing_config(directory);
  config.stopping_conditions.training.any = {{Measure::train_steps, 7}};
  TrainingManager manager(manager_plugins(), config);
  AgentInterface &player = manager.worker("player_0"), &other = manager.worker("player_1");
  BOOST_TEST(manager_error([&] {
               player.train({"player_0", 0});
             }).starts_with("E1003 train(): the table `player_0` holds 0 "));
  BOOST_TEST(player.get_interface_state().status == InterfaceStatus::failed);  // failed is not finished
  player.reset();
  BOOST_TEST(player.get_interface_state().status == InterfaceStatus::idle);

  AgentInterface &learner = player, &still = other;
  manager.run();
  const auto results = manager.retrieve_results();
  const std::string before = learner.parameters_sha256(), untouched = still.parameters_sha256();
  const InterfaceState state = learner.train({"player_0", 0});
  BOOST_TEST(state.status == InterfaceStatus::completed);
  BOOST_TEST(state.stop_reason == "train_steps");
  BOOST_TEST(state.train_steps == results.at("player_0").train_steps + 7);
  BOOST_TEST(state.env_steps == 300u);
  BOOST_TEST(learner.parameters_sha256() != before);
  BOOST_TEST(still.parameters_sha256() == untouched);
  // Without a reset its count goes on: the 7 updates are there already.
  const std::string after = learner.parameters_sha256();
  BOOST_TEST(learner.train({"player_0", 0}, {}, false).train_steps == state.train_steps);
  BOOST_TEST(learner.parameters_sha256() == after);
  BOOST_TEST(learner.train({"player_0", 0}, {{{Measure::train_steps, 9}}, {}}, false).train_steps ==
             state.train_steps + 2);
  BOOST_TEST(learner.train({"player_0", 0}, {{}, {{Measure::train_steps, 1}, {Measure::seconds, 0.001}}}).stop_reason ==
             "all");

  BOOST_TEST(manager_error([&] {
               learner.train({"player_1", 0});
             }) == "E1206 the data request of `player_0` is for the table `player_1`, expected `player_0`");
  BOOST_TEST(manager_error([&] {
               learner.train({"player_0", 0}, {{{Measure::env_steps, 9}}, {}});
             }) == "E1201 train() cannot stop on `env_steps`: it learns on what its table holds, without acting");
  BOOST_TEST(other.get_interface_state().train_steps == results.at("player_1").train_steps);
}

BOOST_AUTO_TEST_CASE(gradient_workers_learn_on_the_table_in_step_only) {
  const TemporaryDirectory directory;
  for (const std::string mode : {"bsp", "asp"}) {
    TrainingManagerConfig config = climbing_config(directory);
    config.interface_config = {"async", "learners = 2\nmode = \"" + mode + "\""};
    TrainingManager manager(manager_plugins(), config);
    manager.run();
    const InterfaceState state = manager.retrieve_results().at("player_0");
    BOOST_TEST(state.status == InterfaceStatus::completed);
    BOOST_TEST(state.train_steps > 100u);
    AgentInterface& player = manager.worker("player_0");
    const auto train = [&] { return player.train({"player_0", 0}, {{{Measure::train_steps, 5}}, {}}); };
    if (mode == "bsp")
      BOOST_TEST(train().train_steps == state.train_steps + 5);
    else
      BOOST_TEST(manager_error(train) ==
                 "E0308 strategy `org.spar.async` lets actors run beside the learners, and train() of an interface "
                 "takes turns with its learning");
  }
}

BOOST_AUTO_TEST_CASE(each_of_a_team_with_central_critics_is_an_interface) {
  const TemporaryDirectory directory;
  TrainingManagerConfig config = tag_config(directory);
  config.interface_config = {"team", "mode = \"central_critic\""};
  TrainingManager manager(manager_plugins(), config);
  BOOST_TEST(manager.runtime_ids() == (std::vector<std::string>{"predators/adversary_0", "predators/adversary_1",
                                                                "predators/adversary_2", "prey"}),
             boost::test_tools::per_element());
  AgentInterface& predator = manager.worker("predators/adversary_1");
  BOOST_TEST(predator.algorithm_key() == "predators");
  BOOST_TEST(predator.governed_agents() == std::vector<std::string>{"adversary_1"}, boost::test_tools::per_element());
  BOOST_TEST(manager.worker("prey").algorithm_key() == "default");
  manager.run();
  const auto results = manager.retrieve_results();
  BOOST_TEST(results.at("predators/adversary_1").train_steps == 15u);
  BOOST_TEST(results.at("prey").status == InterfaceStatus::completed);
  BOOST_TEST(manager_error([&] {
               predator.train({"predators/adversary_1", 0}, {{{Measure::train_steps, 1}}, {}});
             }) == "E1207 train(): `predators/adversary_1` has a central critic and learns together with its team");
  BOOST_TEST(predator.get_interface_state().status == InterfaceStatus::completed);  // as it was
}

BOOST_AUTO_TEST_CASE(learning_on_the_table_can_be_ended) {
  const TemporaryDirectory directory;
  TrainingManager manager(manager_plugins(), climbing_config(directory));
  manager.run();
  manager.retrieve_results();
  AgentInterface& player = manager.worker("player_0");
  InterfaceState state;
  std::thread learning([&] { state = player.train({"player_0", 0}, {{{Measure::seconds, 600}}, {}}); });
  while (player.get_interface_state().status != InterfaceStatus::running) std::this_thread::yield();
  BOOST_TEST(manager_error([&] { player.reset(); }) == "E1203 reset() has to wait: training goes on");
  BOOST_TEST(player.push() == 1u);
  manager.terminate();
  learning.join();
  BOOST_TEST(state.status == InterfaceStatus::stopped);
  BOOST_TEST(state.stop_reason == "interrupted");
}

BOOST_AUTO_TEST_CASE(transitions_of_several_agents_become_rows) {
  const TemporaryDirectory directory;
  TrainingManager manager(manager_plugins(), tag_config(directory));
  TransitionBatch first(2), second(2), third(2), longer(3);
  first.add("obs", std::vector<float>{1, 2, 3, 4}).add("action", std::vector<int64_t>{0, 1});
  second.add("obs", std::vector<float>{5, 6, 7, 8}).add("action", std::vector<int64_t>{2, 3});
  third.add("obs", std::vector<float>{9, 10, 11, 12}).add("action", std::vector<int64_t>{4, 0});
  longer.add("obs", std::vector<float>(6)).add("action", std::vector<int64_t>(3));
  const AgentInterface& predators = manager.worker("predators");
  const TransitionBatch rows = predators.multiagent_post_process({&first, &second, &third});
  BOOST_TEST(rows.rows() == 6u);
  const auto* obs = reinterpret_cast<const float*>(rows.find("obs")->bytes);
  BOOST_TEST(std::vector<float>(obs, obs + 12) == (std::vector<float>{1, 2, 5, 6, 9, 10, 3, 4, 7, 8, 11, 12}),
             boost::test_tools::per_element());
  const auto* actions = reinterpret_cast<const int64_t*>(rows.find("action")->bytes);
  BOOST_TEST(std::vector<int64_t>(actions, actions + 6) == (std::vector<int64_t>{0, 2, 4, 1, 3, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(predators.multiagent_post_process({&longer}).rows() == 3u);
  BOOST_TEST(
      manager_error([&] {
        predators.multiagent_post_process({&first, &second});
      }) ==
      "E1002 multiagent_post_process(): 2 batches, expected one, or one for each of adversary_0, adversary_1 and "
      "adversary_2");
  BOOST_TEST(manager_error([&] {
               predators.multiagent_post_process({&first, &longer, &third});
             }).starts_with("E1002 multiagent_post_process(): the batches differ in their rows or columns"));
  TrainingManagerConfig config = tag_config(directory);
  config.interface_config = {"team", "mode = \"joint\""};
  TrainingManager joint(manager_plugins(), config);
  BOOST_TEST(manager_error([&] {
               joint.worker("predators").multiagent_post_process({&first, &second, &third});
             }).starts_with("E1207 "));
}

BOOST_AUTO_TEST_SUITE_END()
