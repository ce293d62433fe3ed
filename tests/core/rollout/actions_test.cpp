#include "core/rollout/actions.hpp"

#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// What the environment gets for one row of the algorithm's actions.
std::vector<float> sent(ScriptedEnvironment& world, const std::vector<float>& action) {
  const auto environment = make_environment(world);
  rollout::AgentPort& port = environment->agents()[0];
  rollout::Batch batch(1);
  rollout::add_action_column(batch, port.action);
  std::copy(action.begin(), action.end(), batch.data<float>(0));
  rollout::send_actions(batch, 1, nullptr, port, "algorithm `a`");
  const auto* to = port.in->data<float>(0);
  return {to, to + action.size()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout_actions)

BOOST_AUTO_TEST_CASE(unit_actions_are_mapped_to_the_box_of_each_dimension) {
  ScriptedEnvironment world;
  world.agents[0].act = Space::box({-2, 0, -1}, {4, 0.5, 1});  // asymmetric, positive, symmetric
  BOOST_TEST(sent(world, {-1, -1, -1}) == (std::vector<float>{-2, 0, -1}), boost::test_tools::per_element());
  BOOST_TEST(sent(world, {0, 0, 0}) == (std::vector<float>{1, 0.25F, 0}), boost::test_tools::per_element());
  BOOST_TEST(sent(world, {1, 1, 1}) == (std::vector<float>{4, 0.5F, 1}), boost::test_tools::per_element());
  BOOST_TEST(sent(world, {0.5F, -0.5F, 0.25F}) == (std::vector<float>{2.5F, 0.125F, 0.25F}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(actions_beyond_one_are_clamped) {
  ScriptedEnvironment world;
  world.agents[0].act = Space::box({-2}, {4});
  BOOST_TEST(sent(world, {1.5F})[0] == 4.0F);
  BOOST_TEST(sent(world, {-30})[0] == -2.0F);
}

BOOST_AUTO_TEST_CASE(unbounded_dimension_is_passed_on_unchanged) {
  ScriptedEnvironment world;
  world.agents[0].act = Space::box({-kInfinity, -2, -1}, {kInfinity, kInfinity, 3});
  BOOST_TEST(sent(world, {7.5F, 9, 0}) == (std::vector<float>{7.5F, 9, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_bound_is_kept_where_there_is_no_other) {
  ScriptedEnvironment world;
  world.agents[0].act = Space::box({-2, -kInfinity}, {kInfinity, 5});
  BOOST_TEST(sent(world, {-9, 9}) == (std::vector<float>{-2, 5}), boost::test_tools::per_element());
  BOOST_TEST(sent(world, {1.5F, -70}) == (std::vector<float>{1.5F, -70}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rows_go_to_the_copies_that_they_are_for) {
  ScriptedEnvironment world;
  const auto environment = make_environment(world, 3);
  rollout::AgentPort& port = environment->agents()[0];
  rollout::Batch batch(3);
  rollout::add_action_column(batch, port.action);
  batch.data<int64_t>(0)[0] = 3;
  batch.data<int64_t>(0)[1] = 1;
  const uint64_t to[] = {2, 0};
  rollout::send_actions(batch, 2, to, port, "algorithm `a`");
  const auto* in = port.in->data<int64_t>(0);
  BOOST_TEST((in[0] == 1 && in[1] == 0 && in[2] == 3));
}

BOOST_AUTO_TEST_CASE(action_outside_a_discrete_space_is_refused) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  int64_t action = 4;
  script.act = [&](const spar_act&, const spar_batch&, spar_batch& out) { column<int64_t>(out, "action")(0) = action; };
  Stage stage(world, script);
  stage.start();
  BOOST_TEST(error_of([&] { stage.steps(1); }) ==
             "E0706 algorithm `test.scripted` chose action 4 for agent `agent_0`, whose actions are Discrete(4)");
  action = -1;
  BOOST_TEST(error_of([&] { stage.steps(1); }) ==
             "E0706 algorithm `test.scripted` chose action -1 for agent `agent_0`, whose actions are Discrete(4)");
  action = 3;
  BOOST_TEST(error_of([&] { stage.steps(1); }) == "nothing was thrown");
}

BOOST_AUTO_TEST_CASE(action_that_is_not_finite_is_refused) {
  ScriptedEnvironment world;
  world.agents[0].act = Space::box({-2, -kInfinity}, {4, kInfinity});
  ScriptedAlgorithm script;
  std::vector<float> action = {kNan, 0};
  script.act = [&](const spar_act&, const spar_batch&, spar_batch& out) {
    std::copy(action.begin(), action.end(), column<float>(out, "action").data);
  };
  Stage stage(world, script);
  stage.start();
  const std::string expected = "E0706 algorithm `test.scripted` chose an action that is not finite for agent `agent_0`";
  BOOST_TEST(error_of([&] { stage.steps(1); }) == expected);
  action = {0, std::numeric_limits<float>::infinity()};
  BOOST_TEST(error_of([&] { stage.steps(1); }) == expected);
}

BOOST_AUTO_TEST_CASE(warm_up_is_uniform_over_the_box_and_stored_in_units_of_one) {
  constexpr int kSteps = 4'000;
  ScriptedEnvironment world;
  world.agents[0].act = Space::box({-2}, {4});
  ScriptedAlgorithm script;
  script.needs.warmup = kSteps;
  script.needs.capacity = kSteps;
  Stage stage(world, script);
  stage.start();
  stage.steps(kSteps);
  std::vector<int> bins(8, 0);
  double sum = 0;
  for (const auto& box : world.boxes) {
    BOOST_REQUIRE((box[0] >= -2 && box[0] <= 4));
    sum += box[0];
    ++bins[std::min<size_t>(7, static_cast<size_t>((box[0] + 2) / 6 * 8))];
  }
  BOOST_TEST(std::abs(sum / kSteps - 1) < 0.1);                                // 3.6 standard errors
  for (const int count : bins) BOOST_TEST(std::abs(count - kSteps / 8) < 90);  // 4.3 standard deviations
  const auto rows = stage.memory();
  BOOST_REQUIRE(rows.size() == size_t{kSteps});
  for (size_t i = 0; i < rows.size(); ++i) {
    BOOST_REQUIRE((rows[i].action >= -1 && rows[i].action < 1));
    BOOST_REQUIRE(std::abs(world.boxes[i][0] - (1 + 3 * rows[i].action)) < 1e-5F);
  }
}

BOOST_AUTO_TEST_CASE(warm_up_is_uniform_over_discrete_actions) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  script.needs.warmup = 4'000;
  Stage stage(world, script, 4);
  stage.start();
  stage.steps(1'000);
  std::vector<int> counts(4, 0);
  for (const auto& row : world.discrete)
    for (const int64_t action : row) ++counts.at(static_cast<size_t>(action));
  for (const int count : counts) BOOST_TEST(std::abs(count - 1'000) < 120);  // 4.4 standard deviations
}

BOOST_AUTO_TEST_CASE(what_the_policy_meant_is_stored_and_not_what_the_box_made_of_it) {
  ScriptedEnvironment world;
  world.agents[0].act = Space::box({0}, {10});
  ScriptedAlgorithm script;
  script.act = [](const spar_act&, const spar_batch&, spar_batch& out) { column<float>(out, "action")(0) = 1.5F; };
  Stage stage(world, script);
  stage.start();
  stage.steps(1);
  BOOST_TEST(world.boxes[0][0] == 10.0F);
  BOOST_TEST(stage.memory()[0].action == 1.5F);
}

BOOST_AUTO_TEST_SUITE_END()
