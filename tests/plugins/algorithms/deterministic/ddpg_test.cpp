#include "plugins/algorithms/ddpg/ddpg.hpp"

#include "plugins/algorithms/continuous_rig.hpp"

using namespace spar;
using namespace spar::test;

namespace {

using DdpgRig = ContinuousRig<ddpg::Ddpg>;

const boost::json::object kLinearDdpg = {
    {"hidden_layers", boost::json::array{}}, {"batch_size", 1},     {"max_grad_norm_actor", 1e6},
    {"max_grad_norm_critic", 1e6},           {"prioritized", true}, {"tau", 0.1}};

/// The action that a policy with the weight 0 takes: tanh of its bias.
void set_constant_policy(DdpgRig& rig, double pre_tanh) { rig.set_values("actor", {0, static_cast<float>(pre_tanh)}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(ddpg_update)

// The golden steps are those of plain gradient descent with the step size 0.1. Adam's first step has the size of its
// learning rate, so each network gets the rate that moves the parameter on which the others depend as far as the golden
// step does; the gradients themselves are read from Adam's first moment, which is 0.1 times the gradient.
BOOST_AUTO_TEST_CASE(one_update_is_the_golden_one) {
  const Json golden_case = golden("e2e.ddpg_linear");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const auto u = floats(numbers(in.at("u"))), u_target = floats(numbers(in.at("u_target")));
  const auto u_new = numbers(expected.at("u_new")), u_target_new = numbers(expected.at("u_target_new"));
  const double w = number(in.at("w")), w_new = number(expected.at("w_new"));
  auto options = kLinearDdpg;
  options["critic_lr"] = numbers(in.at("u"))[1] - u_new[1];
  options["actor_lr"] = w_new - w;
  DdpgRig rig(options);
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  rig.set_values("actor", {static_cast<float>(w), 0});
  rig.set_values("actor_target", {static_cast<float>(number(in.at("w_target"))), 0});
  rig.set_values("critic", {u[0], u[1], 0});
  rig.set_values("critic_target", {u_target[0], u_target[1], 0});
  GivenTransitions& given = rig.context.given;
  given.obs = floats(numbers(in.at("s")));
  given.action = floats(numbers(in.at("a")));
  given.next_obs = floats(numbers(in.at("s_next")));
  given.reward = floats(numbers(in.at("r")));
  given.discount = floats(numbers(in.at("gamma")));
  BOOST_TEST(std::abs(rig.loss(false) - number(expected.at("critic_loss"))) <= 1e-5);
  rig.learn();

  BOOST_TEST(std::abs(rig.metric("loss/critic") - number(expected.at("critic_loss"))) <= 1e-5);
  BOOST_TEST(std::abs(rig.metric("q/mean") - number(expected.at("q"))) <= 1e-6);
  check_near(given.priorities, {static_cast<float>(number(expected.at("y")) - number(expected.at("q")))});
  // theta - 0.1 gradient, of both
  const auto critic_step = rig.values("critic", SPAR_NET_MOMENT1), actor_step = rig.values("actor", SPAR_NET_MOMENT1);
  check_near({u[0] - critic_step[0], u[1] - critic_step[1]}, floats(u_new));
  check_near({static_cast<float>(w) - actor_step[0]}, {static_cast<float>(w_new)});
  BOOST_TEST(std::abs(w - actor_step[0] - number(wrong.at("F50_actor_uses_old_critic_w"))) > 1e-3);
  BOOST_TEST(std::abs(u[1] - critic_step[1] - number(wrong.at("F50_actor_loss_updates_critic_u1"))) > 1e-3);
  // What was learnt, and the targets behind it.
  check_near({rig.values("critic")[1], rig.values("actor")[0]},
             {static_cast<float>(u_new[1]), static_cast<float>(w_new)});
  check_near({rig.values("actor_target")[0], rig.values("critic_target")[1]},
             {static_cast<float>(number(expected.at("w_target_new"))), static_cast<float>(u_target_new[1])});
}

BOOST_AUTO_TEST_CASE(target_is_that_of_the_next_observation_by_both_target_networks) {
  const Json golden_case = golden("ddpg.target");
  const Json& in = golden_case.at("inputs");
  DdpgRig rig(with_option(kLinearDdpg, "batch_size", 2));
  rig.set_values("critic_target", {1, 0.5F, 0});  // Q'(s, a) = s + a / 2
  rig.set_values("critic", {1, 0.5F, 0.5F});
  rig.set_values("actor_target", {0, 0});
  rig.set_values("actor", {0, 10});  // would choose 1
  GivenTransitions& given = rig.context.given;
  given.obs = floats(numbers(in.at("q_target_at_obs")));
  given.next_obs = floats(numbers(in.at("q_target_at_next")));
  given.action = {0, 0};
  given.reward = floats(numbers(in.at("r")));
  const auto ended = numbers(in.at("terminated"));
  for (const double end : ended) given.discount.push_back(static_cast<float>(number(in.at("gamma")) * (1 - end)));
  rig.learn();
  const auto y = numbers(golden_case.at("expected").at("y"));
  check_near(given.priorities, {static_cast<float>(7.5 - y[0]), static_cast<float>(7.5 - y[1])});
  for (const char* fault : {"F51_target_at_obs", "F51_online_critic"}) {
    const double other = std::abs(7.5 - numbers(golden_case.at("wrong").at(fault))[0]);
    BOOST_TEST(std::abs(given.priorities[0] - other) > 0.1, fault);
  }
}

BOOST_AUTO_TEST_CASE(actor_gradient_is_a_mean_and_leaves_the_critic_alone) {
  const Json golden_case = golden("ddpg.actor_grad");
  // The critic of the golden case has the slope -2 (a - 1) = 1.6 at its action; here the policy is at tanh(0).
  const double expected = number(golden_case.at("expected").at("dloss_dw"));
  DdpgRig rig(with_option(kLinearDdpg, "batch_size", 4));
  rig.set_values("actor", {0, 0});
  rig.set_values("critic", {0, 1.6F, 0});
  GivenTransitions& given = rig.context.given;
  given.obs = given.next_obs = std::vector<float>(4, static_cast<float>(number(golden_case.at("inputs").at("s"))));
  given.action = given.reward = given.discount = {0, 0, 0, 0};  // no error: the critic has nothing to learn
  rig.learn();
  const double found = 10.0 * rig.values("actor", SPAR_NET_MOMENT1)[0];
  BOOST_TEST(std::abs(found - expected) <= 1e-5);
  BOOST_TEST(std::abs(found - number(golden_case.at("wrong").at("F50_sum_over_batch_of_4"))) > 1);
  check_near(rig.values("critic"), {0, 1.6F, 0});
  check_near(rig.values("critic", SPAR_NET_GRADIENTS), {0, 0, 0});
  check_near(rig.values("critic", SPAR_NET_MOMENT1), {0, 0, 0});
}

// Q = s_0 + 2 s_1 + 3 a_0 + 5 a_1 + 7 a_2, Q' = 10 times that; the agent's own action is a_1.
BOOST_AUTO_TEST_CASE(central_critic_sees_the_team_with_the_own_action_of_the_policy) {
  ContinuousSetup setup;
  setup.state = Space::box(2, -10, 10);
  setup.joint_width = 3;
  setup.own_offset = 1;
  DdpgRig rig(kLinearDdpg, std::move(setup));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  set_constant_policy(rig, 0.3);
  rig.set_values("actor_target", {0, -0.4F});
  rig.set_values("critic", {1, 2, 3, 5, 7, 0});
  rig.set_values("critic_target", {10, 20, 30, 50, 70, 0});
  GivenTransitions& given = rig.context.given;
  given.obs = {9};
  given.next_obs = {8};
  given.action = {0.1F};
  given.reward = {0.5F};
  given.discount = {0.9F};
  given.state = {0.25F, -1};
  given.next_state = {1, 0.5F};
  given.joint_action = {-0.2F, 0.1F, 0.6F};
  given.next_joint_action = {0.7F, 0, -0.3F};
  const double others = 0.25 - 2 - 3 * 0.2 + 7 * 0.6;
  BOOST_TEST(std::abs(rig.loss(true) + others + 5 * std::tanh(0.3)) <= 1e-5);
  const double y = 0.5 + 0.9 * 10 * (1 + 2 * 0.5 + 3 * 0.7 - 5 * std::tanh(0.4) - 7 * 0.3);
  BOOST_TEST(std::abs(rig.loss(false) - std::pow(others + 5 * 0.1 - y, 2)) <= 1e-3);
  rig.learn();
  // -dQ/da_1 of the critic just improved, through tanh
  const double slope = -static_cast<double>(rig.values("critic")[3]) * (1 - std::pow(std::tanh(0.3), 2));
  BOOST_TEST(std::abs(10.0 * rig.values("actor", SPAR_NET_MOMENT1)[1] - slope) <= 1e-4);
}

BOOST_AUTO_TEST_CASE(columns_of_another_team_are_refused) {
  ContinuousSetup setup;
  setup.state = Space::box(1, -10, 10);
  setup.joint_width = 3;
  DdpgRig rig(kLinearDdpg, std::move(setup));
  GivenTransitions& given = rig.context.given;
  given.obs = given.next_obs = given.action = given.reward = given.discount = given.state = given.next_state = {1};
  given.joint_action = given.next_joint_action = {1, 2};
  rig.loss(true);
  BOOST_TEST(rig.message == "column `joint_action` has rows of 2 numbers, expected 3");
}

BOOST_AUTO_TEST_CASE(importance_weights_weigh_the_critic_and_a_uniform_memory_has_none) {
  for (const bool prioritized : {true, false}) {
    auto options = with_option(kLinearDdpg, "batch_size", 2);
    options["prioritized"] = prioritized;
    DdpgRig rig(options);
    rig.set_values("critic", {0, 0, 0});
    GivenTransitions& given = rig.context.given;
    given.obs = given.next_obs = given.action = given.discount = {0, 0};
    given.reward = {1, 2};
    if (prioritized) given.weight = {0.5F, 1};
    rig.learn();
    BOOST_TEST(std::abs(rig.metric("loss/critic") - (prioritized ? 2.25 : 2.5)) < 1e-6);
    BOOST_TEST(given.priorities.empty() == !prioritized);
    BOOST_TEST(rig.needs().buffer_kind == static_cast<uint32_t>(prioritized ? SPAR_BUF_PRIORITIZED : SPAR_BUF_REPLAY));
  }
}

BOOST_AUTO_TEST_CASE(losses_of_a_batch_change_nothing) {
  DdpgRig rig(kLinearDdpg);
  rig.set_values("actor", {0, 0});
  rig.set_values("critic", {2, 1, 0.5F});
  GivenTransitions& given = rig.context.given;
  given.obs = given.next_obs = {3};
  given.action = {0.25F};
  given.reward = {1};
  given.discount = {0};
  const auto random = rig.context.random.state();
  for (int twice = 0; twice < 2; ++twice) {
    BOOST_TEST(std::abs(rig.loss(true) + 6.5) < 1e-6);           // -Q(3, tanh(0))
    BOOST_TEST(std::abs(rig.loss(false) - 5.75 * 5.75) < 1e-5);  // Q(3, 0.25) = 6.75, y = 1
  }
  check_near(rig.values("critic"), {2, 1, 0.5F});
  check_near(rig.values("critic", SPAR_NET_GRADIENTS), {0, 0, 0});
  BOOST_TEST(rig.metrics.drain().empty());
  BOOST_TEST(given.priorities.empty());
  BOOST_TEST(rig.context.random.state().block == random.block);
  given.obs = given.next_obs = given.action = given.reward = given.discount = {0, 0};
  rig.loss(true);
  BOOST_TEST(rig.message == "the batch has 2 rows, expected 1 to 1");
}

BOOST_AUTO_TEST_CASE(loss_that_is_not_finite_is_told_although_the_step_is_refused) {
  DdpgRig rig(kLinearDdpg);
  GivenTransitions& given = rig.context.given;
  given.obs = {std::nanf("")};
  given.next_obs = given.action = given.reward = given.discount = {0};
  spar_error error = fresh_error();
  BOOST_TEST(rig.table->learn(rig.self, 5, &error) < 0);
  BOOST_TEST(std::string(error.message).find("gradient norm of network `critic` is not finite") != std::string::npos);
  BOOST_REQUIRE(rig.metrics.broken().has_value());
  BOOST_TEST(rig.metrics.name(rig.metrics.broken()->id) == "loss/critic");
}

BOOST_AUTO_TEST_CASE(targets_start_as_copies) {
  DdpgRig rig;
  BOOST_TEST(rig.values("actor") == rig.values("actor_target"), boost::test_tools::per_element());
  BOOST_TEST(rig.values("critic") == rig.values("critic_target"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(beta_grows_to_one_with_the_budget) {
  DdpgRig rig(kLinearDdpg);
  GivenTransitions& given = rig.context.given;
  given.obs = given.next_obs = given.action = given.reward = given.discount = {0};
  for (const auto& [step, beta] : {std::pair<uint64_t, double>{0, 0.4}, {500, 0.7}, {1'000, 1.0}}) {
    rig.budget.advance_to(step);
    rig.learn();
    BOOST_TEST(std::abs(given.beta - beta) < 1e-12);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ddpg_act)

BOOST_AUTO_TEST_CASE(noise_comes_after_the_squash_and_never_in_evaluation) {
  const Json golden_case = golden("ddpg.noise");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const auto act = [&](uint32_t mode, double draw) {
    DdpgRig rig(with_option(kLinearDdpg, "noise_scale", number(in.at("sigma"))));
    set_constant_policy(rig, number(in.at("pre_tanh")));
    rig.context.given.normals = {draw};
    const float action = rig.act(mode, {3}).at(0);
    BOOST_TEST(rig.context.given.normals.size() == (mode == SPAR_MODE_EXPLORE ? 0u : 1u));
    return action;
  };
  const double draw = number(in.at("gaussian_draw"));
  check_near({act(SPAR_MODE_EXPLORE, draw)}, {static_cast<float>(number(expected.at("train")))});
  check_near({act(SPAR_MODE_EXPLORE, -draw)},  // not clamped on this side
             {static_cast<float>(2 * number(expected.at("eval")) - number(expected.at("train_unclipped")))});
  for (const uint32_t mode : {SPAR_MODE_GREEDY, SPAR_MODE_SAMPLE}) {
    check_near({act(mode, draw)}, {static_cast<float>(number(expected.at("eval")))});
  }
  BOOST_TEST(std::abs(act(SPAR_MODE_EXPLORE, draw) - number(wrong.at("F47_noise_before_squash"))) > 0.1);
  BOOST_TEST(std::abs(act(SPAR_MODE_GREEDY, draw) - number(wrong.at("F48_noise_in_eval"))) > 0.1);
}

BOOST_AUTO_TEST_CASE(correlated_noise_starts_anew_with_each_episode) {
  const Json golden_case = golden("ddpg.ou");
  const Json& in = golden_case.at("inputs");
  DdpgRig rig({{"hidden_layers", boost::json::array{}},
               {"noise", "ou"},
               {"ou_theta", number(in.at("theta"))},
               {"ou_dt", number(in.at("dt"))},
               {"noise_scale", number(in.at("sigma"))}});
  set_constant_policy(rig, 0);
  auto& normals = rig.context.given.normals;
  normals = numbers(in.at("normals"));
  const double again = normals.front();
  for (const double x : numbers(golden_case.at("expected").at("x")))
    check_near(rig.act(SPAR_MODE_EXPLORE, {3}), {static_cast<float>(x)});
  BOOST_TEST(rig.act(SPAR_MODE_GREEDY, {3}).at(0) == 0.0F);  // and leaves the process alone
  const std::string saved = rig.save();
  normals = {again};
  check_near(rig.act(SPAR_MODE_EXPLORE, {3}, true),
             {static_cast<float>(number(golden_case.at("expected").at("after_reset_first")))});
  // Without the new start; from a saved state.
  DdpgRig other({{"hidden_layers", boost::json::array{}}, {"noise", "ou"}});
  set_constant_policy(other, 0);
  other.load(saved);
  BOOST_TEST(other.save() == saved);
  other.context.given.normals = {again};
  check_near(other.act(SPAR_MODE_EXPLORE, {3}),
             {static_cast<float>(number(golden_case.at("wrong").at("F49_not_reset")))});
}

BOOST_AUTO_TEST_CASE(each_lane_has_its_own_correlated_noise) {
  DdpgRig rig({{"hidden_layers", boost::json::array{}}, {"noise", "ou"}, {"noise_scale", 0.1}});
  set_constant_policy(rig, 0);
  rig.context.given.normals = {1, -2, 0, 0};
  check_near(rig.act(SPAR_MODE_EXPLORE, {3, 3}), {0.1F, -0.2F});
  check_near(rig.act(SPAR_MODE_EXPLORE, {3, 3}), {0.085F, -0.17F});
  rig.act(SPAR_MODE_EXPLORE, std::vector<float>(9, 0));
  BOOST_TEST(rig.act_status == SPAR_E_INVALID);
}

BOOST_AUTO_TEST_CASE(saved_noise_of_other_lanes_is_refused) {
  DdpgRig gaussian, correlated({{"noise", "ou"}});
  BOOST_TEST(gaussian.try_load(correlated.save()) < 0);
  BOOST_TEST(gaussian.message == "the saved state holds the noise of 8 lanes, expected 0");
}

BOOST_AUTO_TEST_CASE(noise_sigma_is_a_variance) {
  DdpgRig rig({{"hidden_layers", boost::json::array{}}, {"noise_scale", 0.1}, {"noise_sigma", 2.25}});
  set_constant_policy(rig, 0);
  double sum = 0, squares = 0;
  constexpr int kDraws = 4'000;
  for (int i = 0; i < kDraws / 4; ++i) {
    for (const float a : rig.act(SPAR_MODE_EXPLORE, {0, 0, 0, 0})) {
      sum += a;
      squares += static_cast<double>(a) * a;
    }
  }
  BOOST_TEST(std::abs(sum / kDraws) < 0.01);                         // 4.2 standard errors
  BOOST_TEST(std::abs(std::sqrt(squares / kDraws) - 0.15) < 0.007);  // 4.2 standard errors
}

BOOST_AUTO_TEST_CASE(caller_may_set_the_scale_of_the_noise) {
  DdpgRig rig({{"hidden_layers", boost::json::array{}}, {"noise_scale", 0.7}});
  set_constant_policy(rig, 0);
  rig.context.given.normals = {1, 1};
  check_near(rig.act(SPAR_MODE_EXPLORE, {0}, false, 0.05), {0.05F});
  check_near(rig.act(SPAR_MODE_EXPLORE, {0}, false, 0), {0});
}

BOOST_AUTO_TEST_CASE(actions_of_several_dimensions_are_rows) {
  ContinuousSetup wide;
  wide.obs = Space::box(2, -1, 1);
  wide.act = Space::box({-2, 0, -1}, {2, 10, 3});
  DdpgRig rig({{"hidden_layers", boost::json::array{}}}, std::move(wide));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  rig.set_values("actor", {1, 0, 0, 1, 0, 0, 0, 0, -0.5F});
  const float a = std::tanh(0.25F), b = std::tanh(-0.75F), c = std::tanh(-0.5F);
  check_near(rig.act(SPAR_MODE_GREEDY, {0.25F, -0.75F, -0.75F, 0.25F}), {a, b, c, b, a, c});
  rig.context.given.normals = {0, 0, 0, 0.1, 0.2, 0.3};
  check_near(rig.act(SPAR_MODE_EXPLORE, {0.25F, -0.75F, -0.75F, 0.25F}), {a, b, c, b + 0.02F, a + 0.04F, c + 0.06F});
}

BOOST_AUTO_TEST_CASE(target_mode_asks_the_target_network) {
  DdpgRig rig(kLinearDdpg);
  rig.set_values("actor", {0, 1});
  rig.set_values("actor_target", {0, -1});
  check_near(rig.act(SPAR_MODE_TARGET, {0}), {std::tanh(-1.0F)});
  check_near(rig.act(SPAR_MODE_GREEDY, {0}), {std::tanh(1.0F)});
}

BOOST_AUTO_TEST_CASE(acting_copy_has_the_actor_alone) {
  ContinuousSetup copy;
  copy.role = SPAR_ROLE_ACT;
  copy.budget_steps = std::nullopt;
  DdpgRig rig(kLinearDdpg, std::move(copy));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  BOOST_TEST(rig.networks.size() == 1u);
  set_constant_policy(rig, 0.5);
  check_near(rig.act(SPAR_MODE_GREEDY, {3, 4}), {std::tanh(0.5F), std::tanh(0.5F)});
  rig.act(SPAR_MODE_TARGET, {0});
  BOOST_TEST(rig.act_status == SPAR_E_STATE);
  BOOST_TEST(rig.message == "an acting copy has no target network: ask the instance that learns");
  rig.context.given.reward = rig.context.given.discount = rig.context.given.obs = rig.context.given.next_obs =
      rig.context.given.action = {0};
  rig.loss(true);
  BOOST_TEST(rig.message == "an acting copy has no critic: ask the instance that learns for its losses");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ddpg_options)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_documented_table) {
  check_defaults<ddpg::Ddpg>({{"hidden_layers", {64, 64}},
                              {"actor_hidden_layers", nullptr},
                              {"critic_hidden_layers", nullptr},
                              {"actor_lr", 3e-4},
                              {"critic_lr", 3e-4},
                              {"gamma", 0.99},
                              {"tau", 0.002},
                              {"batch_size", 64},
                              {"buffer_size", 1'000'000},
                              {"warm_up", 0},
                              {"update_freq", 1},
                              {"number_updates", 1},
                              {"max_grad_norm_actor", 10},
                              {"max_grad_norm_critic", 10},
                              {"prioritized", false},
                              {"alpha", 0.5},
                              {"beta", 0.4},
                              {"priority_eps", 1e-6},
                              {"noise", "gaussian"},
                              {"noise_scale", 0.2},
                              {"noise_sigma", 1.0},
                              {"ou_theta", 0.15},
                              {"ou_dt", 1.0},
                              {"state_transform", ""},
                              {"reward_transform", ""},
                              {"network", "mlp"},
                              {"network_file", ""},
                              {"network_backend", "auto"},
                              {"device", "auto"}});
}

BOOST_AUTO_TEST_CASE(hidden_layers_are_those_of_both_networks_unless_told_otherwise) {
  const DdpgRig both({{"hidden_layers", {3}}}), apart({{"hidden_layers", {3}}, {"actor_hidden_layers", {5, 4}}}),
      linear({{"critic_hidden_layers", boost::json::array{}}});
  BOOST_TEST(both.networks.find("actor")->shape() == both.networks.find("actor_target")->shape());
  BOOST_TEST(both.values("actor").size() == 3u * 2 + 4);
  BOOST_TEST(both.values("critic").size() == 3u * 3 + 4);
  BOOST_TEST(apart.values("actor").size() == 5u * 2 + 4 * 6 + 5);
  BOOST_TEST(apart.values("critic").size() == 3u * 3 + 4);
  BOOST_TEST(linear.values("critic").size() == 3u);
}

BOOST_AUTO_TEST_CASE(needs_follow_the_options) {
  DdpgRig rig({{"warm_up", 7},
               {"update_freq", 3},
               {"number_updates", 2},
               {"batch_size", 5},
               {"buffer_size", 50},
               {"gamma", 0.5},
               {"alpha", 0.25},
               {"state_transform", "clip(5)"},
               {"reward_transform", "scale(0.1)"}});
  const spar_needs needs = rig.needs();
  BOOST_TEST((needs.warmup == 7 && needs.learn_every == 3 && needs.updates == 2 && needs.rows_per_learn == 5));
  BOOST_TEST((needs.capacity == 50 && needs.n_step == 1 && needs.gamma == 0.5 && needs.priority_alpha == 0.25));
  BOOST_TEST(needs.actors == 0u);
  BOOST_TEST(std::string(needs.state_transform) == "clip(5)");
  BOOST_TEST(std::string(needs.reward_transform) == "scale(0.1)");
}

BOOST_AUTO_TEST_CASE(spaces_that_do_not_fit_are_refused) {
  const auto refusal = [](Space obs, Space act) {
    ContinuousSetup setup;
    setup.obs = std::move(obs);
    setup.act = std::move(act);
    const DdpgRig rig({}, std::move(setup));
    BOOST_TEST(rig.status == SPAR_E_INVALID);
    BOOST_TEST(rig.networks.size() == 0u);
    return rig.message;
  };
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  BOOST_TEST(
      refusal(Space::box(2, -1, 1), Space::discrete(3)) ==
      "DDPG needs a Box action space, found Discrete(3): choose an algorithm for discrete actions or a continuous "
      "environment");
  BOOST_TEST(refusal(Space::discrete(16), Space::box(1, -1, 1)) ==
             "DDPG needs observations that are a Box of float32 or uint8, found Discrete(16) of i64");
  const std::string unbounded =
      "DDPG needs actions with finite bounds, found none on a side of number 1 of Box(2): give the environment's "
      "action "
      "space both bounds";
  BOOST_TEST(refusal(Space::box(2, -1, 1), Space::box({-1, -kEndless}, {1, 1})) == unbounded);
  BOOST_TEST(refusal(Space::box(2, -1, 1), Space::box({-1, 0}, {1, kEndless})) == unbounded);
}

BOOST_AUTO_TEST_CASE(options_that_cannot_be_served_are_refused_with_the_way_out) {
  const DdpgRig cuda({{"device", "cuda"}}), cnn({{"network", "cnn"}}), small({{"buffer_size", 10}});
  BOOST_TEST(cuda.status == SPAR_E_UNSUPPORTED);
  BOOST_TEST(cuda.message ==
             "network `actor` asks for backend `torch`, and this component has no backends: leave it out");
  BOOST_TEST(cnn.message.find("DDPG with network = \"cnn\" needs frames [channels, height, width]") == 0u);
  BOOST_TEST(DdpgRig({{"network", "torchscript"}}).message ==
             "DDPG has networks of different shapes, and network = \"torchscript\" names one file: use network = "
             "\"mlp\"");
  BOOST_TEST(small.message == "buffer_size is 10, expected at least batch_size, which is 64");
}

BOOST_AUTO_TEST_CASE(only_prioritised_replay_needs_a_step_budget) {
  const auto endless = [](bool prioritized) {
    ContinuousSetup setup;
    setup.budget_steps = std::nullopt;
    return DdpgRig({{"prioritized", prioritized}}, std::move(setup)).message;
  };
  BOOST_TEST(endless(false) == "");
  BOOST_TEST(endless(true) ==
             "beta is a schedule over the step budget, and the run has none: add { env_steps = N } to stop.any, or "
             "choose prioritized = false");
}

BOOST_AUTO_TEST_SUITE_END()
