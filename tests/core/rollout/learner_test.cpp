#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kAlgorithm = "algorithm `test.scripted`";

std::string refusal(ScriptedAlgorithm& script) {
  ScriptedEnvironment world;
  const std::string text = error_of([&] { Stage stage(world, script); });
  BOOST_TEST(script.alive == 0, "the refused algorithm was not destroyed");
  return text;
}

std::string needs_refusal(const std::function<void(spar_needs&)>& change) {
  ScriptedAlgorithm script;
  change(script.needs);
  return refusal(script);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout_learner)

BOOST_AUTO_TEST_CASE(refused_spaces_and_options_are_problems_of_the_configuration) {
  ScriptedAlgorithm script;
  script.fails_in = "create";
  script.status = SPAR_E_INVALID;
  script.message = "needs a Discrete action space, found Box(3)";
  BOOST_TEST(refusal(script) == "E0702 " + kAlgorithm + ": needs a Discrete action space, found Box(3)");
  script.status = SPAR_E_NOMEM;
  BOOST_TEST(refusal(script) ==
             "E0701 " + kAlgorithm + " failed in create(): needs a Discrete action space, found Box(3)");
}

BOOST_AUTO_TEST_CASE(failed_calls_name_component_and_call) {
  ScriptedAlgorithm needs;
  needs.fails_in = "needs";
  BOOST_TEST(refusal(needs) == "E0701 " + kAlgorithm + " failed in needs(): the script says so");

  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  Stage stage(world, script);
  stage.start();
  script.fails_in = "act";
  BOOST_TEST(error_of([&] { stage.steps(1); }) == "E0701 " + kAlgorithm + " failed in act(): the script says so");
  script.fails_in = "learn";
  BOOST_TEST(error_of([&] { stage.learners[0]->learn(0); }) ==
             "E0701 " + kAlgorithm + " failed in learn(): the script says so");
  script.fails_in = "save";
  BOOST_TEST(error_of([&] { stage.save(); }) == "E0701 " + kAlgorithm + " failed in save(): the script says so");
  script.fails_in = "";
  const auto bytes = stage.save();
  script.fails_in = "load";
  BOOST_TEST(error_of([&] { stage.load(bytes); }) == "E0701 " + kAlgorithm + " failed in load(): the script says so");
}

BOOST_AUTO_TEST_CASE(needs_that_no_run_could_serve_are_refused) {
  const std::string needs = "E0708 " + kAlgorithm + " needs ";
  BOOST_TEST(needs_refusal([](spar_needs& n) { n.buffer_kind = 9; }) ==
             needs + "a buffer of kind 9, which this host does not know");
  BOOST_TEST(needs_refusal([](spar_needs& n) {
               n.buffer_kind = SPAR_BUF_ROLLOUT;
               n.rows_per_learn = 0;
             }) == needs + "a rollout of 0 rows, expected at least 1");
  BOOST_TEST(needs_refusal([](spar_needs& n) { n.capacity = 0; }) ==
             needs + "a replay memory of 0 transitions, expected at least 1");
  BOOST_TEST(needs_refusal([](spar_needs& n) { n.learn_every = 0; }) ==
             needs + "learn_every = 0 or updates = 0, expected at least 1");
  BOOST_TEST(needs_refusal([](spar_needs& n) { n.updates = 0; }) ==
             needs + "learn_every = 0 or updates = 0, expected at least 1");
  for (const double gamma : {-0.1, 1.1, std::nan("")}) {
    BOOST_TEST(needs_refusal([&](spar_needs& n) { n.gamma = gamma; }) == needs + "a discount outside [0, 1]");
  }
  BOOST_TEST(needs_refusal([](spar_needs& n) { n.n_extra = 1; }) ==
             needs + "columns of its own (needs.extra), which this host does not offer yet");
  BOOST_TEST(needs_refusal([](spar_needs& n) { n.state_transform = "log"; }) ==
             "E0707 state_transform is \"log\", expected scale(x) with x not 0, clip(x) with x > 0, normalise, or "
             "nothing");
}

BOOST_AUTO_TEST_CASE(algorithm_without_a_buffer_stores_nothing_and_still_plays) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  script.needs.buffer_kind = SPAR_BUF_NONE;
  Stage stage(world, script);
  stage.start();
  stage.steps(3);
  BOOST_TEST(stage.learners[0]->buffer_rows() == 0u);
  BOOST_TEST(script.acted.size() == 3u);
}

BOOST_AUTO_TEST_CASE(rollout_is_emptied_by_learning) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  script.needs.buffer_kind = SPAR_BUF_ROLLOUT;
  script.needs.rows_per_learn = 4;
  script.needs.capacity = 4;
  Stage stage(world, script, 2);
  stage.start();
  stage.steps(2);
  BOOST_TEST(stage.learners[0]->buffer_rows() == 4u);
  stage.learners[0]->learn(4);
  BOOST_TEST(stage.learners[0]->buffer_rows() == 0u);
  BOOST_TEST(script.learnt == (std::vector<uint64_t>{4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rollout_keeps_actions_as_the_policy_drew_them) {
  ScriptedEnvironment world;
  world.agents[0].act = Space::box({0}, {10});
  ScriptedAlgorithm script;
  script.needs.buffer_kind = SPAR_BUF_ROLLOUT;
  script.act = [](const spar_act&, const spar_batch&, spar_batch& out) { column<float>(out, "action")(0) = 1.5F; };
  Stage stage(world, script);
  stage.start();
  stage.steps(1);
  BOOST_TEST(world.boxes[0][0] == 10.0F);
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  replay::Buffer& buffer = *script.contexts.at("learner/agent_0")->buffer;
  buffer.sample(0, 0, &batch);
  BOOST_TEST(column<float>(batch, "action")(0) == 1.5F);
  buffer.release(&batch);
}

BOOST_AUTO_TEST_CASE(streams_of_two_learners_differ_and_depend_on_the_name_alone) {
  ScriptedEnvironment world;
  world.agents.resize(2);
  world.agents[1].id = "agent_1";
  ScriptedAlgorithm script, again;
  Stage stage(world, script), other(world, again);
  BOOST_TEST(script.contexts.at("learner/agent_0")->random.bits() !=
             script.contexts.at("learner/agent_1")->random.bits());
  BOOST_TEST(script.contexts.at("learner/agent_0")->random.bits() == [&] {
    again.contexts.at("learner/agent_0")->random.bits();
    return again.contexts.at("learner/agent_0")->random.bits();
  }());
}

BOOST_AUTO_TEST_SUITE_END()
