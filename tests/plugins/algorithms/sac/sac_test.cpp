#include "plugins/algorithms/sac/sac.hpp"

#include "plugins/algorithms/continuous_rig.hpp"

using namespace spar;
using namespace spar::test;

namespace {

using Rig = ContinuousRig<sac::Sac>;

/// Networks without hidden layers, uniform replay, almost no learning: the numbers of one update are those of the
/// parameters that a test sets.
boost::json::object linear(int64_t rows) {
  return {{"hidden_layers", boost::json::array{}},
          {"batch_size", rows},
          {"prioritized", false},
          {"actor_lr", 1e-9},
          {"critic_lr", 1e-9}};
}

ContinuousSetup spaces(int64_t n_obs, int64_t n_actions) {
  ContinuousSetup setup;
  setup.obs = Space::box(n_obs, -1, 1);
  setup.act = Space::box(n_actions, -1, 3);
  return setup;
}

/// Row i of the observations is the i-th unit vector, so that linear networks give each row a value of its own.
std::vector<float> one_hot(size_t rows) {
  std::vector<float> x(rows * rows);
  for (size_t i = 0; i < rows; ++i) x[i * rows + i] = 1;
  return x;
}

/// Parameters of two linear critics of {obs [n], action [1]} with the given value for each unit vector.
std::vector<float> critics_of(const std::vector<double>& q1, const std::vector<double>& q2) {
  std::vector<float> values;
  for (const auto* q : {&q1, &q2}) {
    for (const double x : *q) values.push_back(static_cast<float>(x));
    values.insert(values.end(), {0, 0});  // of the action, bias
  }
  return values;
}

/// Parameters of a linear actor with mean 0 whose density at the mean has these logarithms.
std::vector<float> actor_of(const std::vector<double>& log_prob) {
  std::vector<float> values(log_prob.size());
  for (const double x : log_prob) values.push_back(static_cast<float>(-x - 0.91893853320467274178));
  values.insert(values.end(), {0, 0});
  return values;
}

/// A batch of `rows` unit vectors.
void prepare(Rig& rig, size_t rows) {
  GivenTransitions& given = rig.context.given;
  given.obs = given.next_obs = one_hot(rows);
  given.action.assign(rows, 0);
  given.reward.assign(rows, 1);
  given.discount.assign(rows, 0.99F);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sac_update)

BOOST_AUTO_TEST_CASE(targets_are_the_golden_ones) {
  const Json golden_case = golden("sac.target");
  const Json &in = golden_case.at("inputs"), &wrong = golden_case.at("wrong");
  Rig rig(with_option(linear(3), "prioritized", true), spaces(3, 1));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  prepare(rig, 3);
  GivenTransitions& given = rig.context.given;
  given.reward = floats(numbers(in.at("r")));
  for (size_t i = 0; i < 3; ++i) given.discount[i] *= 1 - static_cast<float>(numbers(in.at("terminated"))[i]);
  given.weight = {1, 0.5F, 0.25F};
  given.normals.assign(6, 0.0);
  rig.set_values("actor", actor_of(numbers(in.at("next_logp"))));
  rig.set_values("critic_target", critics_of(numbers(in.at("q1")), numbers(in.at("q2"))));
  rig.set_values("critic", critics_of({0, 0, 0}, {0, 0, 0}));
  rig.learn();
  const auto y = floats(numbers(golden_case.at("expected").at("y")));
  check_near(given.priorities, y);  // Q = 0, so |Q - y| = y
  BOOST_TEST(std::abs(rig.metric("loss/critic") - 2 * (y[0] * y[0] + 0.5 * y[1] * y[1] + 0.25 * y[2] * y[2]) / 3) <
             1e-3);
  for (const char* fault : {"F43_entropy_outside_mask", "F43_no_entropy", "F44_max", "F43_plus_sign"}) {
    double distance = 0;
    for (size_t i = 0; i < 3; ++i)
      distance = std::max(distance, std::abs(numbers(wrong.at(fault))[i] - static_cast<double>(given.priorities[i])));
    BOOST_TEST(distance > 5e-4, fault);
  }
}

BOOST_AUTO_TEST_CASE(temperature_takes_the_golden_step_and_the_actor_has_the_golden_loss) {
  const Json golden_case = golden("sac.alpha");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  auto options = with_option(linear(2), "alpha_lr", 0.1);
  options["max_grad_norm_alpha"] = 100;
  Rig rig(options, spaces(2, 1));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  prepare(rig, 2);
  rig.context.given.normals.assign(4, 0.0);
  rig.set_values("actor", actor_of(numbers(in.at("logp"))));
  rig.set_values("critic", critics_of(numbers(in.at("min_q")), {2.5, 1.5}));
  check_near(rig.values("log_alpha"), {static_cast<float>(number(in.at("log_alpha")))});
  rig.learn();
  BOOST_TEST(std::abs(rig.metric("loss/alpha") - number(expected.at("J_log_form"))) < 1e-5);
  BOOST_TEST(std::abs(rig.metric("loss/actor") - number(expected.at("actor_loss"))) < 1e-5);
  BOOST_TEST(std::abs(rig.metric("entropy") - number(expected.at("entropy_estimate"))) < 1e-5);
  BOOST_TEST(std::abs(rig.metric("alpha") - 0.2) < 1e-6);
  // Adam's first step has the length of lr; alpha must decrease, since the entropy is above its target.
  check_near(rig.values("log_alpha"), {static_cast<float>(number(in.at("log_alpha")) - 0.1)});
  check_near(rig.values("log_alpha", SPAR_NET_MOMENT1),
             {static_cast<float>(0.1 * number(expected.at("grad_log_form")))});
}

BOOST_AUTO_TEST_CASE(target_entropy_is_minus_the_dimensions_of_the_action) {
  Rig rig(with_option(linear(2), "alpha_lr", 0.1), spaces(2, 3));
  prepare(rig, 2);
  rig.context.given.action.assign(6, 0);
  rig.context.given.normals.assign(12, 0.0);
  std::vector<float> actor(18);  // mean 0, std 1
  rig.set_values("actor", actor);
  rig.learn();
  const double log_prob = -3 * 0.91893853320467274178;
  BOOST_TEST(std::abs(rig.metric("loss/alpha") - -std::log(0.2) * (log_prob - 3)) < 1e-5);
}

BOOST_AUTO_TEST_CASE(fixed_temperature_has_no_network_and_stays) {
  Rig rig(with_option(linear(2), "alpha", 0.05), spaces(2, 1));
  BOOST_TEST((rig.networks.find("log_alpha") == nullptr));
  prepare(rig, 2);
  for (int i = 0; i < 3; ++i) rig.learn();
  BOOST_TEST(rig.metric("alpha") == 0.05);
  BOOST_TEST(std::isnan(rig.metric("loss/alpha")));
}

BOOST_AUTO_TEST_CASE(twin_critics_start_apart_and_their_targets_as_copies) {
  const Rig rig({}, spaces(3, 2));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  const auto critics = rig.values("critic");
  BOOST_TEST(critics == rig.values("critic_target"), boost::test_tools::per_element());
  const auto half = critics.begin() + static_cast<std::ptrdiff_t>(critics.size() / 2);
  BOOST_TEST(!std::equal(critics.begin(), half, half));
}

BOOST_AUTO_TEST_CASE(uniform_batch_has_weights_of_one_and_gives_no_priorities) {
  const auto loss = [](bool weighted) {
    Rig rig(linear(2), spaces(2, 1));
    prepare(rig, 2);
    if (weighted) rig.context.given.weight = {1, 1};
    rig.learn();
    BOOST_TEST(rig.context.given.priorities.empty());
    BOOST_TEST(rig.context.given.beta == 0.0);
    return rig.metric("loss/critic");
  };
  BOOST_TEST(loss(false) == loss(true));
}

BOOST_AUTO_TEST_CASE(beta_grows_to_one_with_the_budget) {
  Rig rig(with_option(linear(2), "prioritized", true), spaces(2, 1));
  prepare(rig, 2);
  rig.context.given.weight = {1, 1};
  for (const auto& [step, beta] : {std::pair<uint64_t, double>{0, 0.4}, {500, 0.7}, {1'000, 1.0}}) {
    rig.budget.advance_to(step);
    rig.learn();
    BOOST_TEST(std::abs(rig.context.given.beta - beta) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(losses_of_a_batch_are_those_of_the_update_and_change_nothing) {
  Rig rig(linear(2), spaces(2, 1));
  prepare(rig, 2);
  const auto critics = rig.values("critic"), actor = rig.values("actor");
  const auto with_draws = [&] { rig.context.given.normals = {0.3, -1.2, 0.7, 0.1}; };
  with_draws();
  const double value = rig.loss(false), policy = rig.loss(true);
  BOOST_TEST(rig.values("critic") == critics, boost::test_tools::per_element());
  BOOST_TEST(rig.values("actor") == actor, boost::test_tools::per_element());
  BOOST_TEST(rig.metrics.drain().empty());
  with_draws();
  rig.learn();
  BOOST_TEST(rig.metric("loss/critic") == value);
  BOOST_TEST(std::abs(rig.metric("loss/actor") - policy) < 1e-6);
  prepare(rig, 3);
  rig.context.given.obs.assign(6, 0);
  rig.context.given.next_obs.assign(6, 0);
  rig.loss(false);
  BOOST_TEST(rig.message == "the batch has 3 rows, expected 1 to 2");
}

BOOST_AUTO_TEST_CASE(loss_that_is_not_finite_is_told_although_the_step_is_refused) {
  Rig rig(linear(2), spaces(2, 1));
  prepare(rig, 2);
  rig.context.given.obs[0] = std::nanf("");
  spar_error error = fresh_error();
  BOOST_TEST(rig.table->learn(rig.self, 5, &error) < 0);
  BOOST_TEST(std::string(error.message).find("gradient norm of network `critic` is not finite") != std::string::npos,
             error.message);
  BOOST_REQUIRE(rig.metrics.broken().has_value());
  BOOST_TEST(rig.metrics.name(rig.metrics.broken()->id) == "loss/critic");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sac_act)

BOOST_AUTO_TEST_CASE(sampled_action_is_the_golden_one_in_units_of_the_policy) {
  const Json golden_case = golden("sac.scaled_action");
  const Json& in = golden_case.at("inputs");
  Rig rig(linear(1), spaces(1, 1));
  const double mean = number(in.at("mu")), std = number(in.at("std"));
  rig.set_values("actor", {0, 0, static_cast<float>(mean), static_cast<float>(std::log(std))});
  for (const uint32_t mode : {SPAR_MODE_EXPLORE, SPAR_MODE_SAMPLE}) {
    rig.context.given.normals = {(number(in.at("u")) - mean) / std};
    check_near(rig.act(mode, {0.5F}), {static_cast<float>(std::tanh(number(in.at("u"))))});
  }
}

BOOST_AUTO_TEST_CASE(greedy_takes_the_mode_and_draws_nothing) {
  Rig rig(linear(1), spaces(1, 2));
  rig.set_values("actor", {1, -2, 0, 0, 0, 0.5F, -0.5F, -0.5F});  // mean (x, -2 x + 0.5)
  const auto before = rig.context.random.state();
  check_near(rig.act(SPAR_MODE_GREEDY, {0.25F, -1}),
             {std::tanh(0.25F), std::tanh(0.0F), std::tanh(-1.0F), std::tanh(2.5F)});
  BOOST_TEST(rig.context.random.state().block == before.block);
  BOOST_TEST(rig.context.random.state().has_held == before.has_held);
  BOOST_TEST(rig.metrics.drain().empty());
  rig.act(SPAR_MODE_EXPLORE, {0.25F, -1});
  BOOST_TEST(rig.context.random.state().block != before.block);
}

BOOST_AUTO_TEST_CASE(exploring_draws_from_the_policy) {
  Rig rig(linear(1), spaces(1, 1));
  rig.set_values("actor", {0, 0, 0.4F, std::log(0.3F)});
  double sum = 0, squares = 0;
  for (int i = 0; i < 500; ++i) {
    for (const float a : rig.act(SPAR_MODE_EXPLORE, std::vector<float>(8, 0))) {
      BOOST_TEST_REQUIRE(std::abs(a) < 1);
      const double u = std::atanh(static_cast<double>(a));
      sum += u;
      squares += u * u;
    }
  }
  const double mean = sum / 4'000, deviation = std::sqrt(squares / 4'000 - mean * mean);
  BOOST_TEST(std::abs(mean - 0.4) < 0.02);  // 4.2 standard errors
  BOOST_TEST(std::abs(deviation - 0.3) < 0.015);
}

BOOST_AUTO_TEST_CASE(action_scale_multiplies_the_actions) {
  for (const double scale : {0.5, 2.0}) {
    Rig rig(with_option(linear(1), "action_scale", scale), spaces(1, 1));
    rig.set_values("actor", {0, 0, 0.8F, 0});
    rig.context.given.normals = {-0.3};
    check_near(rig.act(SPAR_MODE_GREEDY, {0}), {static_cast<float>(scale * std::tanh(0.8))});
    check_near(rig.act(SPAR_MODE_EXPLORE, {0}), {static_cast<float>(scale * std::tanh(0.5))});
  }
}

BOOST_AUTO_TEST_CASE(acting_copy_has_the_actor_only) {
  auto setup = spaces(2, 1);
  setup.role = SPAR_ROLE_ACT;
  setup.budget_steps = std::nullopt;
  Rig rig(with_option({}, "alpha_lr", 1e-3), std::move(setup));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  BOOST_TEST(rig.networks.size() == 1u);
  BOOST_TEST((rig.networks.find("actor") != nullptr));
  BOOST_TEST(rig.act(SPAR_MODE_GREEDY, {0, 0, 1, 1}).size() == 2u);
  prepare(rig, 2);
  rig.loss(true);
  BOOST_TEST(rig.message == "an acting copy has no critics: ask the instance that learns for its losses");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sac_options)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_documented_table) {
  check_defaults<sac::Sac>({{"hidden_layers", {128, 128}},
                            {"actor_hidden_layers", nullptr},
                            {"critic_hidden_layers", nullptr},
                            {"actor_lr", 3e-4},
                            {"critic_lr", 3e-4},
                            {"gamma", 0.99},
                            {"tau", 0.02},
                            {"batch_size", 64},
                            {"buffer_size", 1'000'000},
                            {"warm_up", 0},
                            {"update_freq", 1},
                            {"number_updates", 1},
                            {"max_grad_norm_actor", 10},
                            {"max_grad_norm_critic", 10},
                            {"action_scale", 1},
                            {"alpha", 0.2},
                            {"alpha_lr", nullptr},
                            {"max_grad_norm_alpha", 1},
                            {"prioritized", true},
                            {"priority_alpha", 0.5},
                            {"priority_beta", 0.4},
                            {"priority_eps", 1e-6},
                            {"state_transform", ""},
                            {"reward_transform", ""},
                            {"network", "mlp"},
                            {"network_file", ""},
                            {"network_backend", "auto"},
                            {"device", "auto"}});
}

BOOST_AUTO_TEST_CASE(needs_follow_the_options) {
  Rig rig({{"warm_up", 7},
           {"update_freq", 3},
           {"number_updates", 2},
           {"batch_size", 5},
           {"buffer_size", 50},
           {"gamma", 0.5},
           {"priority_alpha", 0.25},
           {"prioritized", false},
           {"state_transform", "clip(5)"},
           {"reward_transform", "scale(0.1)"}});
  const spar_needs needs = rig.needs();
  BOOST_TEST(needs.buffer_kind == static_cast<uint32_t>(SPAR_BUF_REPLAY));
  BOOST_TEST((needs.warmup == 7 && needs.learn_every == 3 && needs.updates == 2 && needs.rows_per_learn == 5));
  BOOST_TEST((needs.capacity == 50 && needs.n_step == 1 && needs.gamma == 0.5 && needs.priority_alpha == 0.25));
  BOOST_TEST(std::string(needs.state_transform) == "clip(5)");
  BOOST_TEST(std::string(needs.reward_transform) == "scale(0.1)");
  BOOST_TEST(Rig().needs().buffer_kind == static_cast<uint32_t>(SPAR_BUF_PRIORITIZED));
}

BOOST_AUTO_TEST_CASE(actor_and_critics_may_have_widths_of_their_own) {
  const Rig rig({{"hidden_layers", {4}}, {"actor_hidden_layers", {3}}, {"critic_hidden_layers", boost::json::array{}}},
                spaces(2, 1));
  BOOST_TEST(rig.values("actor").size() == 2u * 3 + 3 + 3 * 2 + 2);
  BOOST_TEST(rig.values("critic").size() == 2u * (3 + 1));
}

BOOST_AUTO_TEST_CASE(spaces_that_do_not_fit_are_refused) {
  auto discrete = spaces(2, 1);
  discrete.act = Space::discrete(4);
  BOOST_TEST(
      Rig({}, std::move(discrete)).message ==
      "SAC needs a Box action space, found Discrete(4): choose an algorithm for discrete actions or a continuous "
      "environment");
  auto unbounded = spaces(2, 1);
  unbounded.act = Space::box({-1, 0}, {1, INFINITY});
  BOOST_TEST(Rig({}, std::move(unbounded)).message ==
             "SAC needs actions with finite bounds, found none on a side of number 1 of Box(2): give the environment's "
             "action space both bounds");
  auto cells = spaces(2, 1);
  cells.obs = Space::discrete(16);
  const Rig rig({}, std::move(cells));
  BOOST_TEST(rig.status == SPAR_E_INVALID);
  BOOST_TEST(rig.message == "SAC needs observations that are a Box of float32 or uint8, found Discrete(16) of i64");
}

BOOST_AUTO_TEST_CASE(networks_that_do_not_fit_are_refused_with_the_way_out) {
  const Rig cuda({{"device", "cuda"}}), cnn({{"network", "cnn"}});
  BOOST_TEST(cuda.status == SPAR_E_UNSUPPORTED);
  BOOST_TEST(cuda.message ==
             "network `actor` asks for backend `torch`, and this component has no backends: leave it out");
  BOOST_TEST(cnn.message.find("SAC with network = \"cnn\" needs frames [channels, height, width]") == 0u);
}

BOOST_AUTO_TEST_CASE(options_that_contradict_each_other_are_refused) {
  BOOST_TEST(Rig({{"buffer_size", 10}}).message == "buffer_size is 10, expected at least batch_size, which is 64");
}

BOOST_AUTO_TEST_CASE(prioritised_replay_needs_a_step_budget_and_uniform_replay_does_not) {
  auto endless = spaces(2, 1);
  endless.budget_steps = std::nullopt;
  const Rig prioritised({}, std::move(endless));
  BOOST_TEST(prioritised.status == SPAR_E_INVALID);
  BOOST_TEST(prioritised.message ==
             "priority_beta is a schedule over the step budget, and the run has none: add { env_steps = N } to "
             "stop.any, or choose prioritized = false");
  auto again = spaces(2, 1);
  again.budget_steps = std::nullopt;
  Rig uniform(linear(2), std::move(again));
  prepare(uniform, 2);
  uniform.learn();
}

BOOST_AUTO_TEST_SUITE_END()
