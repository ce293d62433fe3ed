// Training managers: whole trainings, their results, generations and ends.
#include <chrono>
#include <thread>

#include "core/manager/fixture.hpp"
#include "support/training_run.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// What `spar train` makes of the same experiment, in a directory of its own.
run::Summary trained_by_spar(const config::Experiment& experiment) {
  const TemporaryDirectory directory;
  const auto where = run::RunDirectory::begin(directory.path(), "same");
  train::Observer observer;
  const auto result = train::train(manager_plugins().host(), experiment, where, {}, observer);
  if (result.error) throw Error(*result.error);
  return result.summary;
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(training_manager)

BOOST_AUTO_TEST_CASE(trains_what_spar_train_trains_bit_for_bit) {
  const TemporaryDirectory directory;
  TrainingManager manager(manager_plugins(), tag_config(directory));
  BOOST_TEST(manager.runtime_ids() == (std::vector<std::string>{"predators", "prey"}),
             boost::test_tools::per_element());
  BOOST_TEST(
      manager.agent_groups().at("predators") == (std::vector<std::string>{"adversary_0", "adversary_1", "adversary_2"}),
      boost::test_tools::per_element());
  BOOST_TEST(manager.workers().size() == 2u);
  manager.run();
  const auto results = manager.retrieve_results();
  const run::Summary expected = trained_by_spar(manager.experiment());
  BOOST_TEST(manager.summary().parameters_sha256 == expected.parameters_sha256);
  BOOST_TEST(manager.summary().env_steps == 300u);
  BOOST_TEST(results.at("predators").status == InterfaceStatus::completed);
  BOOST_TEST(results.at("predators").stop_reason == "env_steps");
  BOOST_TEST(results.at("predators").env_steps == 300u);
  BOOST_TEST(results.at("predators").train_steps == 15u);
  BOOST_TEST(results.at("prey").train_steps == 251u);
  BOOST_TEST(std::filesystem::exists(manager.run_directory() / "manifest.json"));
  BOOST_TEST(manager.run_directory().parent_path() == directory.path());
  BOOST_TEST(manager.retrieve_results().size() == 2u);  // as often as wanted
}

BOOST_AUTO_TEST_CASE(run_returns_at_once_and_can_be_asked_meanwhile) {
  const TemporaryDirectory directory;
  TrainingManager manager(manager_plugins(), tag_config(directory, 10'000'000));
  BOOST_TEST(manager_error([&] { manager.retrieve_results(); }) ==
             "E1203 retrieve_results() has no results: run() was not called");
  manager.run({{"prey", {"prey", 0}}});
  BOOST_TEST(manager_error([&] { manager.run(); }) == "E1203 run() has to wait: training goes on");
  BOOST_TEST(manager_error([&] { manager.add_policies(); }) == "E1203 add_policies() has to wait: training goes on");
  AgentInterface& prey = manager.worker("prey");
  while (prey.get_interface_state().train_steps == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const InterfaceState state = prey.get_interface_state();
  BOOST_TEST(state.status == InterfaceStatus::running);
  BOOST_TEST(prey.push() == 1u);
  BOOST_TEST(prey.push() == 2u);
  BOOST_TEST(prey.parameters_sha256().size() == 64u);
  const auto begin = Clock::now();
  manager.terminate();
  BOOST_TEST(seconds_since(begin) < 5.0);
  manager.terminate();
  const auto results = manager.retrieve_results();
  BOOST_TEST(results.at("prey").status == InterfaceStatus::stopped);
  BOOST_TEST(results.at("prey").stop_reason == "interrupted");
  BOOST_TEST(results.at("prey").parameter_version == 2u);
  BOOST_TEST(manager_error([&] { manager.run(); }) ==
             "E1203 run() has no meaning any more: the manager was terminated");
}

BOOST_AUTO_TEST_CASE(manager_that_goes_away_ends_its_training) {
  const TemporaryDirectory directory;
  const auto begin = Clock::now();
  std::shared_ptr<AgentInterface> left;
  {
    TrainingManager manager(manager_plugins(), tag_config(directory, 10'000'000));
    manager.run();
    left = manager.workers().at("prey");
  }
  BOOST_TEST(seconds_since(begin) < 10.0);
  BOOST_TEST(left->get_interface_state().status == InterfaceStatus::stopped);  // what others hold stays usable
}

BOOST_AUTO_TEST_CASE(failed_learner_arrives_with_its_first_cause) {
  const TemporaryDirectory directory;
  TrainingManagerConfig config = tag_config(directory, 2'000);
  config.algorithms["default"] = small_dqn("lr = 1e30\nmax_grad_norm = 1e30\nloss = \"mse\"\n");
  TrainingManager manager(manager_plugins(), config);
  manager.run();
  BOOST_TEST(manager_error([&] { manager.retrieve_results(); }).starts_with("E0302 "));
  const InterfaceState state = manager.worker("prey").get_interface_state();
  BOOST_TEST(state.status == InterfaceStatus::failed);
  BOOST_REQUIRE(state.error.has_value());
  BOOST_TEST(state.error->code() == "E0302");
  BOOST_TEST(manager.summary().status == "failed");
}

BOOST_AUTO_TEST_CASE(data_requests_are_those_of_the_interfaces) {
  const TemporaryDirectory directory;
  TrainingManager manager(manager_plugins(), tag_config(directory));
  BOOST_TEST(manager_error([&] {
               manager.run({{"prey", {"predators", 0}}});
             }) == "E1206 the data request of `prey` is for the table `predators`, expected `prey`");
  BOOST_TEST(manager_error([&] {
               manager.run({{"prey", {"prey", 1}}});
             }) == "E1206 the data request of `prey` is for generation 1, expected 0");
  BOOST_TEST(manager_error([&] { manager.run({{"pray", {"pray", 0}}}); }) == "E1202 there is no runtime id `pray`");
  BOOST_TEST(!std::filesystem::exists(directory.path() / "tag"));
  BOOST_TEST(manager.run_directory().empty());
}

BOOST_AUTO_TEST_CASE(memory_cap_refuses_a_training_that_needs_more) {
  const TemporaryDirectory directory;
  TrainingManagerConfig config = tag_config(directory);
  config.resource_config.memory_bytes = 1'000;
  BOOST_TEST(
      manager_error([&] { TrainingManager(manager_plugins(), config); }).starts_with("E0405 the training needs "));
}

BOOST_AUTO_TEST_CASE(generations_go_on_from_copies_or_begin_afresh) {
  const TemporaryDirectory directory;
  TrainingManager manager(manager_plugins(), tag_config(directory));
  const auto first = manager.add_policies();
  BOOST_TEST(first.at("prey").policy_ids == std::vector<std::string>{"policy-0"}, boost::test_tools::per_element());
  const std::string begun = manager.worker("prey").parameters_sha256();
  manager.run();
  manager.retrieve_results();
  const std::string learnt = manager.worker("prey").parameters_sha256(),
                    others = manager.worker("predators").parameters_sha256();
  BOOST_TEST(manager_error([&] { manager.run(); }) ==
             "E1203 run() has nothing to train: the policies of generation 0 were trained already");

  const auto second = manager.add_policies({"prey"}, 1, Init::fresh);
  BOOST_TEST(manager.generation() == 1u);
  BOOST_TEST(second.size() == 1u);
  BOOST_TEST(second.at("prey").policy_ids.size() == 2u);
  BOOST_TEST(second.at("prey").probabilities == (std::vector<double>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(manager.worker("predators").parameters_sha256() == others);  // goes on with what it has
  const std::string again = manager.worker("prey").parameters_sha256();
  BOOST_TEST(again != learnt);
  BOOST_TEST(again != begun);
  const auto third = manager.add_policies({{"prey", 2}}, Init::newest);
  BOOST_TEST(third.at("prey").policy_ids.back() == "policy-3");
  BOOST_TEST(manager.worker("prey").parameters_sha256() == again);
  manager.run();
  const auto results = manager.retrieve_results();
  BOOST_TEST(results.at("prey").generation == 1u);
  BOOST_TEST(results.at("prey").env_steps == 300u);
  BOOST_TEST(manager.worker("prey").parameters_sha256() != again);
  BOOST_TEST(manager_error([&] { manager.add_policies({"pray"}); }) == "E1202 there is no runtime id `pray`");
  BOOST_TEST(manager_error([&] { manager.add_policies({"prey"}, 0); }) ==
             "E1201 add_policies(): 0 policies for `prey`, expected 1 to 1000");
}

BOOST_AUTO_TEST_CASE(distance_from_equilibrium_is_exact_on_game_trees) {
  const TemporaryDirectory directory;
  TrainingManagerConfig config = climbing_config(directory);
  config.env_desc.id = "matching_pennies";
  TrainingManager manager(manager_plugins(), config);
  manager.add_policies({}, 8);
  const auto pure = [&](const std::string& one, const std::string& two) {
    return manager.get_exp({{"player_0", {{one, 1}}}, {"player_1", {{two, 1}}}});
  };
  // Who loses with certainty could gain 2, so pure play is 2 from equilibrium; uniform play of both is one.
  const auto distance = pure("policy-0", "policy-0");
  BOOST_TEST(distance.nash_conv == 2.0);
  BOOST_TEST(distance.exploitability == 1.0);
  // Two policies that play differently, mixed half and half, are the equilibrium.
  const auto other = [&](size_t player) {
    for (int k = 1; k < 8; ++k) {
      const std::string policy = "policy-" + std::to_string(k);
      const auto value = player == 0 ? pure(policy, "policy-0").value : pure("policy-0", policy).value;
      if (value != distance.value) return policy;
    }
    return std::string("none of eight fresh policies plays otherwise");
  };
  const auto mixed = manager.get_exp(
      {{"player_0", {{"policy-0", 0.5}, {other(0), 0.5}}}, {"player_1", {{"policy-0", 0.5}, {other(1), 0.5}}}});
  BOOST_TEST(mixed.nash_conv < 1e-12);
  BOOST_TEST(manager_error([&] {
               manager.get_exp({{"player_0", {{"policy-0", 1}}}});
             }) == "E1204 get_exp(): `player_1` has no mixture");
  BOOST_TEST(manager_error([&] {
               manager.get_exp({{"player_0", {{"policy-0", 0.5}}}});
             }) == "E1204 the mixture of `player_0` sums to 0.5, expected 1");
  BOOST_TEST(manager_error([&] {
               manager.get_exp({{"player_0", {{"policy-9", 1}}}});
             }) == "E1202 `player_0` has no policy `policy-9`");
}

BOOST_AUTO_TEST_CASE(asking_for_the_distance_changes_no_number) {
  const TemporaryDirectory directory;
  const auto parameters = [&](bool ask) {
    TrainingManager manager(manager_plugins(), climbing_config(directory, 3'000));
    manager.add_policies({}, 2);
    manager.run();
    for (int i = 0; ask && i < 20; ++i)
      manager.get_exp({{"player_0", {{"policy-0", 0.5}, {"policy-1", 0.5}}}, {"player_1", {{"policy-1", 1}}}});
    manager.retrieve_results();
    return manager.summary().parameters_sha256;
  };
  BOOST_TEST(parameters(true) == parameters(false));
}

BOOST_AUTO_TEST_CASE(distance_of_what_has_no_tree_is_refused) {
  const TemporaryDirectory directory;
  TrainingManager tag(manager_plugins(), tag_config(directory));
  tag.add_policies();
  BOOST_TEST(manager_error([&] {
               tag.get_exp({{"predators", {{"policy-0", 1}}}, {"prey", {{"policy-0", 1}}}});
             })
                 .starts_with("E1207 get_exp() is not supported on environment `org.spar.mpe/simple_tag_v3`: it has no "
                              "game tree"));
  TrainingManagerConfig config = climbing_config(directory);
  config.interface_config = {"team", "mode = \"joint\""};
  TrainingManager joint(manager_plugins(), config);
  joint.add_policies();
  BOOST_TEST(manager_error([&] {
               joint.get_exp({{"team", {{"policy-0", 1}}}});
             }).ends_with("players who choose together have no strategies of their own"));
}

BOOST_AUTO_TEST_SUITE_END()
