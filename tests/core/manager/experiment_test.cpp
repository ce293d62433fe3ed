// The experiment that the fields of a training manager stand for.
#include "core/manager/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kTagFile =
    "name = \"tag\"\n[env]\nid = \"simple_tag_v3\"\ncount = 2\n"
    "[algorithm]\nid = \"dqn\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 2_000\nwarm_up = 50\n"
    "[[group]]\nname = \"predators\"\nagents = [\"adversary_0\", \"adversary_1\", \"adversary_2\"]\n"
    "algorithm = { id = \"ppo\", hidden_layers = [16], rollout_length = 10, batch_size = 20, num_epochs = 2 }\n"
    "[[group]]\nname = \"prey\"\nagents = [\"agent_0\"]\n"
    "[stop]\nany = [{ env_steps = 300 }]\n[eval]\nevery = 150\nepisodes = 2\n";

config::Experiment from_file(const std::string& text) {
  const TemporaryDirectory directory;
  config::Sources sources;
  sources.experiment = directory.write("a.toml", text).string();
  return config::load(sources, train::lookup_in(manager_plugins().registry()));
}

std::string refusal(const std::function<void(TrainingManagerConfig&)>& change) {
  const TemporaryDirectory directory;
  TrainingManagerConfig config = tag_config(directory);
  change(config);
  return manager_error([&] { make_experiment(manager_plugins(), config); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(manager_experiment)

BOOST_AUTO_TEST_CASE(fields_are_the_sections_of_a_file) {
  const TemporaryDirectory directory;
  const config::Experiment expected = from_file(kTagFile);
  TrainingManagerConfig config = tag_config(directory);
  BOOST_TEST((make_experiment(manager_plugins(), config) == expected));
  config.agent_mapping = [](const std::string& agent) { return agent == "agent_0" ? "prey" : "predators"; };
  BOOST_TEST((make_experiment(manager_plugins(), config) == expected));
  config.agent_mapping = std::map<std::string, std::string>{{"*", "predators"}, {"agent_0", "prey"}};
  BOOST_TEST((make_experiment(manager_plugins(), config) == expected));
  config.algorithms["default"].custom_config = "lr = 0.5";
  config.algorithms["default"].options = "lr = 0.1";
  const config::Experiment other = make_experiment(manager_plugins(), config);
  BOOST_TEST(std::get<double>(other.algorithm.options.find("lr")->data) == 0.5);
}

BOOST_AUTO_TEST_CASE(rules_go_by_name) {
  const TemporaryDirectory directory;
  TrainingManagerConfig config = tag_config(directory);
  config.algorithms = {{"default", small_dqn()}};
  config.agent_mapping = "identity";
  BOOST_TEST(make_experiment(manager_plugins(), config).groups.empty());
  config.agent_mapping = "shared";
  BOOST_TEST(make_experiment(manager_plugins(), config).mapping == "shared");
  config.algorithms["agent_0"] = small_ppo();
  config.agent_mapping = "identity";
  const config::Experiment apart = make_experiment(manager_plugins(), config);
  BOOST_REQUIRE(apart.groups.size() == 4u);
  BOOST_TEST(apart.algorithm_of("agent_0")->id == "org.spar.ppo");
  BOOST_TEST(apart.algorithm_of("adversary_1")->id == "org.spar.dqn");
}

BOOST_AUTO_TEST_CASE(stop_conditions_interfaces_and_devices_arrive) {
  const TemporaryDirectory directory;
  TrainingManagerConfig config = tag_config(directory);
  config.stopping_conditions.global = {{{Measure::eval_return, 0.5, 3}},
                                       {{Measure::seconds, 2}, {Measure::episodes, 7}}};
  config.interface_config = {"team", "mode = \"joint\""};
  config.resource_config.device = "cpu";
  const config::Experiment experiment = make_experiment(manager_plugins(), config);
  BOOST_TEST((experiment.stop.any == config.stopping_conditions.global.any));
  BOOST_TEST((experiment.stop.all == config.stopping_conditions.global.all));
  BOOST_TEST(experiment.strategy.id == "org.spar.team");
  BOOST_TEST(std::get<std::string>(experiment.algorithm_of("predators")->options.find("device")->data) == "cpu");
}

BOOST_AUTO_TEST_CASE(fields_that_cannot_be_served_are_named) {
  BOOST_TEST(refusal([](auto& c) { c.remote_mode = true; }) ==
             "E1201 `remote_mode` of the training manager is true, and interfaces in processes of their own are not "
             "offered yet");
  BOOST_TEST(refusal([](auto& c) { c.agent_mapping = "teams"; }) ==
             "E1201 `agent_mapping` of the training manager is the rule `teams`, which there is not");
  BOOST_TEST(refusal([](auto& c) {
               c.agent_mapping = std::map<std::string, std::string>{{"adversary_*", "predators"}};
             }) == "E1201 `agent_mapping` of the training manager leaves out agent `agent_0`");
  BOOST_TEST(refusal([](auto& c) { c.algorithms.erase("default"); }) == "E1202 there is no algorithm for `prey`");
  BOOST_TEST(refusal([](auto& c) { c.algorithms.clear(); }) == "E1201 `algorithms` of the training manager is empty");
  BOOST_TEST(refusal([](auto& c) { c.algorithms["pray"] = small_dqn(); }) ==
             "E1201 `algorithms` of the training manager has the key `pray`, which is no runtime id");
  BOOST_TEST(refusal([](auto& c) { c.training_config = "[stop]\nany = []"; }) ==
             "E1201 `training_config` of the training manager sets `stop`, which is not its part");
  BOOST_TEST(refusal([](auto& c) { c.training_config = "sed = 1"; }) == "E0203 unknown key `sed`");
  BOOST_TEST(refusal([](auto& c) { c.algorithms["default"].options = "learing_rate = 1"; }) ==
             "E0203 unknown key `learing_rate` for algorithm `dqn`");
  BOOST_TEST(refusal([](auto& c) { c.algorithms["default"].algorithm = "dqm"; }).starts_with("E0207 "));
  BOOST_TEST(refusal([](auto& c) { c.env_desc.id = "simple_tug"; }).starts_with("E0207 "));
  BOOST_TEST(refusal([](auto& c) { c.stopping_conditions.global = {}; }).starts_with("E0206 "));
}

BOOST_AUTO_TEST_SUITE_END()
