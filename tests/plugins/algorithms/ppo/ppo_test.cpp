#include "spar/rl/ppo.hpp"

#include "plugins/algorithms/ppo/rig.hpp"
#include "support/golden.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const boost::json::array kNone;

/// One linear layer each, one pass over the rollout, one step of each kind.
const boost::json::object kPlain = {{"hidden_layers", kNone},    {"rollout_length", 5},        {"batch_size", 5},
                                    {"actor_number_updates", 1}, {"critic_number_updates", 1}, {"entropy_weight", 0.0}};

std::vector<float> one_hot(size_t at, size_t n = 7) {
  std::vector<float> x(n, 0.0F);
  x[at] = 1;
  return x;
}

/// The golden five steps: the truncation or termination is at step 3, whose final observation is number 5; number 6
/// follows the cut after step 4. A critic that is a table gives the values.
std::vector<Step> five_steps(const Json& in, bool terminated) {
  const auto r = numbers(in.at("r"));
  std::vector<Step> steps;
  for (size_t t = 0; t < 5; ++t) {
    const size_t next = t == 3 ? 5 : t == 4 ? 6 : t + 1;
    steps.push_back(
        {one_hot(t), {0}, static_cast<float>(r[t]), one_hot(next), t == 3 && terminated, t == 3 && !terminated});
  }
  return steps;
}
std::vector<float> value_table(const Json& in) {
  std::vector<float> table;
  for (const double v : numbers(in.at("V"))) table.push_back(static_cast<float>(v));
  table.push_back(static_cast<float>(number(in.at("V_final_obs_t3"))));
  table.push_back(static_cast<float>(number(in.at("V_next_after_t4"))));
  table.push_back(0);  // bias
  return table;
}
double mean_square(const Json& values) {
  double sum = 0;
  for (const double x : numbers(values)) sum += x * x;
  return sum / static_cast<double>(numbers(values).size());
}

PpoSetup table_setup(uint64_t lanes = 1) {
  PpoSetup setup;
  setup.obs = Space::box(7, 0, 1);
  setup.lanes = lanes;
  return setup;
}

/// n rows of two observations in one lane, with discrete actions.
std::vector<Step> rows(size_t n) {
  std::vector<Step> steps;
  for (size_t i = 0; i < n; ++i) {
    const float x = static_cast<float>(i % 3) - 1;
    steps.push_back({{x, 1}, {static_cast<float>(i % 2)}, static_cast<float>(i % 5), {x + 1, 1}, i % 7 == 6, false});
  }
  return steps;
}

bool near(double a, double b, double tolerance = 1e-5) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

/// A policy of its own, with what it needs of a host.
struct PolicyStage {
  PolicyStage(const boost::json::object& options, const Space& act, uint64_t batch = 8) : space(act) {
    context.name = "policy";
    context.random = Philox(1, context.name);
    context.networks = &networks;
    ppo::Options given;
    if (const auto* log_std = options.if_contains("initial_log_std"))
      given.initial_log_std = log_std->to_number<double>();
    policy = ppo::make_policy(Context(&ppo_host(), &context), given, *space.abi(), batch);
  }
  Space space;
  nn::NetworkSet networks;
  spar_ctx context;
  std::unique_ptr<ppo::Policy> policy;
};

/// A batch of one column "action".
template <class T>
struct ActionBatch {
  explicit ActionBatch(std::vector<T> given, int64_t width = 1) : actions(std::move(given)) {
    shape[0] = static_cast<int64_t>(actions.size()) / width;
    shape[1] = width;
    column.name = str("action");
    column.t = {actions.data(), SPAR_DEVICE_CPU, 0, 2, dtype_code<T>(), 8 * sizeof(T), 1, shape, nullptr, 0};
    batch = {sizeof(spar_batch), 1, static_cast<uint64_t>(shape[0]), &column, nullptr, nullptr, nullptr};
  }
  std::vector<T> actions;
  int64_t shape[2];
  spar_column column{};
  spar_batch batch{};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(ppo_golden)

BOOST_AUTO_TEST_CASE(loss_and_gradient_of_two_logits) {
  const Json golden_case = golden("e2e.ppo_logits");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  for (const auto& [key, weight] : {std::pair{"ent_0", 0.0}, {"ent_0.005", 0.005}, {"ent_0.01", 0.01}}) {
    PolicyStage stage({}, Space::discrete(2));
    ActionBatch<int64_t> batch({in.at("action").to_number<int64_t>()});
    const uint64_t row = 0;
    stage.policy->take(batch.batch, &row, 1);
    const auto logits = numbers(in.at("logits"));
    std::vector<float> outputs(logits.begin(), logits.end()), log_prob(1), slope(1), gradient(2);
    const double entropy = stage.policy->log_prob(outputs.data(), log_prob.data());
    const std::vector<float> old = {static_cast<float>(std::log(number(in.at("old_prob"))))},
                             advantage = {static_cast<float>(number(in.at("adv")))};
    const double loss = rl::ppo_policy_loss(old, log_prob, advantage, 0.25, slope).loss - weight * entropy;
    stage.policy->gradient(slope.data(), -weight, gradient.data());
    BOOST_TEST(near(entropy, number(expected.at("entropy"))));
    BOOST_TEST(near(loss, number(expected.at(key).at("loss"))));
    const auto wanted = numbers(expected.at(key).at("grad_logits"));
    BOOST_TEST((near(gradient[0], wanted[0]) && near(gradient[1], wanted[1])));
  }
}

BOOST_AUTO_TEST_CASE(probability_is_that_of_the_action_as_it_was_drawn) {
  const Json golden_case = golden("ppo.stored_action");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  PolicyStage stage({{"initial_log_std", std::log(number(in.at("std")))}}, Space::box(1, -1, 1));
  ActionBatch<float> batch({static_cast<float>(number(expected.at("stored_action")))});
  const uint64_t row = 0;
  stage.policy->take(batch.batch, &row, 1);
  std::vector<float> mean = {static_cast<float>(number(in.at("mu")))}, log_prob(1);
  stage.policy->log_prob(mean.data(), log_prob.data());
  BOOST_TEST(near(log_prob[0], number(expected.at("logp"))));
  BOOST_TEST(!near(log_prob[0], number(golden_case.at("wrong").at("F39_logp_of_clipped")), 0.1));
}

// What reaches the values is R - V = A, so their loss before the first step is the mean of A^2.
BOOST_AUTO_TEST_CASE(advantages_are_cut_at_episode_ends_and_bootstrap_at_truncations) {
  const Json golden_case = golden("gae.five_steps");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  for (const auto& [key, lambda] :
       {std::pair{"lambda_0.95", 0.95}, {"lambda_0.96", 0.96}, {"lambda_1", 1.0}, {"lambda_0", 0.0}}) {
    for (const bool terminated : {false, true}) {
      PpoRig rig(merged(kPlain, {{"gae_lambda", lambda}}), table_setup());
      BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
      rig.set_values("critic", value_table(in));
      rig.remember(five_steps(in, terminated));
      const Json& of = expected.at(key).at(terminated ? "terminated_at_3" : "truncated_at_3");
      BOOST_TEST(near(rig.loss("value"), mean_square(of.at("adv"))), key << " " << terminated);
      rig.learn();
      BOOST_TEST(near(rig.recorded().at("loss/critic"), mean_square(of.at("adv"))));
      if (lambda != 0.95 || terminated) continue;
      for (const char* wrong :
           {"F01_truncated_as_terminated_adv", "F02_bootstrap_from_reset_obs_adv", "F31_trace_not_cut_adv",
            "F32_mask_off_by_one_adv", "F33_last_value_from_last_obs_not_next_adv"})
        BOOST_TEST(!near(mean_square(of.at("adv")), mean_square(golden_case.at("wrong").at(wrong)), 1e-3), wrong);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_gae_the_advantage_is_the_return_minus_the_value) {
  const Json golden_case = golden("gae.five_steps");
  PpoRig rig(merged(kPlain, {{"using_gae", false}}), table_setup());
  rig.set_values("critic", value_table(golden_case.at("inputs")));
  rig.remember(five_steps(golden_case.at("inputs"), false));
  BOOST_TEST(
      near(rig.loss("value"), mean_square(golden_case.at("expected").at("lambda_1").at("truncated_at_3").at("adv"))));
}

BOOST_AUTO_TEST_CASE(lanes_do_not_mix) {
  const Json golden_case = golden("gae.five_steps");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected").at("lambda_0.96");
  PpoRig rig(kPlain, table_setup(2));
  rig.set_values("critic", value_table(in));
  const auto cut = five_steps(in, false), ended = five_steps(in, true);
  for (size_t t = 0; t < 5; ++t) {
    rig.remember(cut[t]);
    Step other = ended[t];
    other.lane = 1;
    rig.remember(other);
  }
  BOOST_TEST(near(rig.loss("value"), (mean_square(expected.at("truncated_at_3").at("adv")) +
                                      mean_square(expected.at("terminated_at_3").at("adv"))) /
                                         2));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ppo_phase)

BOOST_AUTO_TEST_CASE(loop_is_the_documented_one) {
  // 5 rows in minibatches of 2, 2 and 1; two epochs.
  PpoRig rig({{"rollout_length", 5},
              {"batch_size", 2},
              {"num_epochs", 2},
              {"actor_number_updates", 3},
              {"critic_number_updates", 4}});
  rig.remember(rows(5));
  rig.learn();
  BOOST_TEST(rig.steps("actor") == 2u * 3 * 3);
  BOOST_TEST(rig.steps("critic") == 2u * 3 * 4);
}

BOOST_AUTO_TEST_CASE(default_phase_has_ten_steps_of_each_kind) {
  PpoRig rig;
  BOOST_TEST((rig.needs().rows_per_learn == 48 && rig.needs().updates == 1));
  BOOST_TEST(rig.needs().buffer_kind == static_cast<uint32_t>(SPAR_BUF_ROLLOUT));
  rig.remember(rows(48));
  rig.learn();
  BOOST_TEST((rig.steps("actor") == 10 && rig.steps("critic") == 10));
}

BOOST_AUTO_TEST_CASE(phase_is_rollout_length_steps_of_every_copy) {
  PpoSetup setup;
  setup.lanes = 3;
  const PpoRig rig(
      {{"rollout_length", 7}, {"gamma", 0.5}, {"state_transform", "clip(5)"}, {"reward_transform", "scale(0.1)"}},
      setup);
  BOOST_TEST((rig.needs().rows_per_learn == 21 && rig.needs().capacity == 21 && rig.needs().gamma == 0.5));
  BOOST_TEST(std::string(rig.needs().state_transform) == "clip(5)");
  BOOST_TEST(std::string(rig.needs().reward_transform) == "scale(0.1)");
}

BOOST_AUTO_TEST_CASE(single_row_is_not_normalised_and_stays_finite) {
  PpoRig rig({{"rollout_length", 1}, {"actor_number_updates", 1}, {"entropy_weight", 0.0}, {"hidden_layers", kNone}});
  rig.remember({{1, 0}, {0}, 2.5F, {0, 0}, true});
  rig.set_values("critic", {0, 0, 0});
  rig.learn();
  BOOST_TEST(near(rig.recorded().at("loss/actor"), -2.5));  // -A as it is; golden gae.batch_of_one
  for (const float w : rig.values("actor")) BOOST_TEST(std::isfinite(w));
}

// Golden ppo.kl_stop says what the rule is; here: it ends the policy's steps of all epochs, not the values'.
BOOST_AUTO_TEST_CASE(policy_that_moved_too_far_takes_no_more_steps_in_this_phase) {
  PpoRig rig({{"rollout_length", 6},
              {"batch_size", 3},
              {"num_epochs", 3},
              {"actor_number_updates", 4},
              {"critic_number_updates", 2},
              {"actor_lr", 0.5},
              {"target_kl", 0.001}});
  rig.remember(rows(6));
  rig.learn();
  BOOST_TEST(rig.steps("actor") == 1u);  // the first is always allowed: nothing has moved before
  BOOST_TEST(rig.steps("critic") == 3u * 2 * 2);
  rig.remember(rows(6));
  rig.learn();
  BOOST_TEST(rig.steps("actor") == 2u);
}

BOOST_AUTO_TEST_CASE(penalty_keeps_the_policy_close_and_adapts_its_weight) {
  const boost::json::object far = {{"rollout_length", 40}, {"batch_size", 40},     {"actor_number_updates", 30},
                                   {"actor_lr", 0.01},     {"using_kl_div", true}, {"entropy_weight", 0.0}};
  const auto kl_of = [&](const boost::json::object& more) {
    PpoRig rig(merged(far, more));
    rig.remember(rows(40));
    rig.learn();
    return rig.recorded().at("kl");
  };
  BOOST_TEST(kl_of({{"kl_beta", 30}}) < 0.3 * kl_of({{"kl_beta", 1e-6}}));

  for (const auto& [target, factor] : {std::pair{1e-7, 2.0}, {10.0, 0.5}}) {
    PpoRig rig(merged(far, {{"target_kl", target}, {"kl_beta", 3}}));
    rig.remember(rows(40));
    rig.learn();
    std::string saved;
    const spar_stream out{sizeof(spar_stream), 0, &saved, nullptr, [](void* to, const void* from, uint64_t n) {
                            static_cast<std::string*>(to)->append(static_cast<const char*>(from), n);
                            return static_cast<int64_t>(n);
                          }};
    spar_error error = fresh_error();
    BOOST_REQUIRE(rig.table->save(rig.self, &out, &error) == SPAR_OK);
    double beta = 0;
    BOOST_REQUIRE(saved.size() == sizeof beta);
    std::memcpy(&beta, saved.data(), sizeof beta);
    BOOST_TEST(beta == 3 * factor);
  }
}

BOOST_AUTO_TEST_CASE(learning_rate_falls_with_the_budget) {
  const auto step_of = [](const char* schedule, uint64_t done) {
    PpoRig rig(merged(kPlain, {{"lr_schedule", schedule}}));
    rig.set_values("critic", {0, 0, 0});
    rig.budget.advance_to(done);
    rig.remember(rows(5));
    rig.learn();
    return rig.values("critic")[2];  // Adam's first step is the learning rate
  };
  BOOST_TEST(near(step_of("constant", 750), 1e-3));
  BOOST_TEST(near(step_of("linear", 0), 1e-3));
  BOOST_TEST(near(step_of("linear", 750), 0.25e-3));
}

BOOST_AUTO_TEST_CASE(loss_that_is_not_finite_is_told_although_the_step_is_refused) {
  PpoRig rig(kPlain);
  rig.set_values("critic", {3e38F, 3e38F, 3e38F});
  rig.remember(rows(5));
  BOOST_TEST(rig.try_learn(7) < 0);
  BOOST_REQUIRE(rig.metrics.broken().has_value());
  BOOST_TEST(rig.metrics.broken()->step == 7u);
}

BOOST_AUTO_TEST_CASE(losses_of_a_batch_change_nothing) {
  PpoRig rig(merged(kPlain, {{"entropy_weight", 0.5}}));
  rig.remember(rows(5));
  const auto actor = rig.values("actor"), critic = rig.values("critic");
  const double policy = rig.loss("policy"), value = rig.loss("value");
  // rho = 1 and the normalised advantages sum to nothing, so the entropy is left: nearly that of two equal actions.
  BOOST_TEST(near(policy, -0.5 * std::log(2.0), 1e-3));
  BOOST_TEST(rig.values("actor") == actor, boost::test_tools::per_element());
  BOOST_TEST(rig.values("critic") == critic, boost::test_tools::per_element());
  BOOST_TEST(rig.metrics.drain().empty());
  rig.learn();
  const auto recorded = rig.recorded();
  BOOST_TEST(near(recorded.at("loss/actor"), policy));
  BOOST_TEST(near(recorded.at("loss/critic"), value));
  BOOST_TEST(recorded.at("clip_fraction") == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ppo_act)

BOOST_AUTO_TEST_CASE(greedy_takes_the_best_action_and_changes_nothing) {
  PpoRig rig(kPlain);
  rig.set_values("actor", {1, 0, -1, 0, 0, 0});  // logits (x, -x)
  const auto before = rig.context.random.state();
  BOOST_TEST(rig.act(SPAR_MODE_GREEDY, {3, 0, -3, 0}) == (std::vector<float>{0, 1}), boost::test_tools::per_element());
  PpoSetup box;
  box.act = Space::box(1, -1, 1);
  PpoRig continuous(kPlain, box);
  continuous.set_values("actor", {0.5F, 0, 0.25F});
  const auto log_std = continuous.values("log_std");
  BOOST_TEST(continuous.act(SPAR_MODE_GREEDY, {1, 0, 4, 0}) == (std::vector<float>{0.75F, 2.25F}),
             boost::test_tools::per_element());
  BOOST_TEST(continuous.values("log_std") == log_std, boost::test_tools::per_element());
  for (const PpoRig* one : {&rig, &continuous}) {
    BOOST_TEST(one->context.random.state().block == before.block);
    BOOST_TEST(one->context.random.state().has_held == before.has_held);
  }
  BOOST_TEST((rig.metrics.drain().empty() && continuous.metrics.drain().empty()));
  rig.act(SPAR_MODE_EXPLORE, {3, 0, -3, 0});
  BOOST_TEST(rig.context.random.state().block != before.block);
}

BOOST_AUTO_TEST_CASE(discrete_actions_are_drawn_with_their_probabilities) {
  PpoRig rig(kPlain);
  rig.set_values("actor", {0, 0, 0, 0, 0, std::log(3.0F)});  // 1/4 and 3/4
  for (const uint32_t mode : {SPAR_MODE_EXPLORE, SPAR_MODE_SAMPLE}) {
    int ones = 0;
    for (int i = 0; i < 500; ++i)
      for (const float a : rig.act(mode, std::vector<float>(16, 0))) ones += a == 1;
    BOOST_TEST(std::abs(ones / 4'000.0 - 0.75) < 0.03);  // 4.4 standard errors
  }
}

BOOST_AUTO_TEST_CASE(continuous_actions_have_the_policys_mean_and_deviation_and_are_not_clamped) {
  PpoSetup setup;
  setup.act = Space::box(2, -1, 1);
  PpoRig rig(kPlain, setup);
  rig.set_values("actor", {0, 0, 0, 0, 0.5F, -0.5F});
  rig.set_values("log_std", {0, std::log(0.25F)});
  double sum[2] = {}, squares[2] = {};
  bool beyond = false;
  constexpr int kDraws = 8'000;
  for (int i = 0; i < kDraws / 8; ++i) {
    const auto actions = rig.act(SPAR_MODE_EXPLORE, std::vector<float>(16, 0));
    for (size_t j = 0; j < 16; ++j) {
      sum[j % 2] += actions[j];
      squares[j % 2] += actions[j] * actions[j];
      beyond = beyond || std::abs(actions[j]) > 1;
    }
  }
  BOOST_TEST(beyond);
  const double mean[2] = {sum[0] / kDraws, sum[1] / kDraws};
  BOOST_TEST(std::abs(mean[0] - 0.5) < 0.05);
  BOOST_TEST(std::abs(mean[1] + 0.5) < 0.0125);
  BOOST_TEST(std::abs(std::sqrt(squares[0] / kDraws - mean[0] * mean[0]) - 1) < 0.04);
  BOOST_TEST(std::abs(std::sqrt(squares[1] / kDraws - mean[1] * mean[1]) - 0.25) < 0.01);
}

BOOST_AUTO_TEST_CASE(forbidden_actions_are_never_taken) {
  PpoSetup setup;
  setup.act = Space::discrete(3);
  setup.masked = true;
  PpoRig rig(kPlain, setup);
  rig.set_values("actor", {0, 0, 0, 0, 0, 0, 1, 9, std::log(3.0F) + 1});  // action 1 is best by far
  BOOST_TEST(rig.act(SPAR_MODE_GREEDY, {0, 0, 0, 0}, {1, 0, 1, 0, 1, 0}) == (std::vector<float>{2, 1}),
             boost::test_tools::per_element());
  int twos = 0;
  for (int i = 0; i < 1'000; ++i)
    for (const float a : rig.act(SPAR_MODE_EXPLORE, {0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1})) {
      BOOST_REQUIRE(a != 1);
      twos += a == 2;
    }
  BOOST_TEST(std::abs(twos / 4'000.0 - 0.75) < 0.03);
}

BOOST_AUTO_TEST_CASE(acting_copy_has_no_values_and_no_memory) {
  PpoSetup setup;
  setup.role = SPAR_ROLE_ACT;
  setup.budget = std::nullopt;
  PpoRig rig({{"lr_schedule", "linear"}}, setup);
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  BOOST_TEST(rig.networks.find("critic") == nullptr);
  BOOST_TEST(rig.act(SPAR_MODE_GREEDY, {0, 0}).size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ppo_options)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_documented_table) {
  const boost::json::object documented = {{"hidden_layers", {128, 128}},
                                          {"actor_hidden_layers", nullptr},
                                          {"critic_hidden_layers", nullptr},
                                          {"actor_lr", 3e-4},
                                          {"critic_lr", 1e-3},
                                          {"gamma", 0.99},
                                          {"batch_size", nullptr},
                                          {"max_grad_norm_actor", 100},
                                          {"max_grad_norm_critic", 100},
                                          {"using_kl_div", false},
                                          {"target_kl", nullptr},
                                          {"using_gae", true},
                                          {"gae_lambda", 0.96},
                                          {"ppo_ratio_clip", 0.25},
                                          {"num_epochs", 1},
                                          {"rollout_length", 48},
                                          {"actor_number_updates", 10},
                                          {"critic_number_updates", 10},
                                          {"entropy_weight", 0.005},
                                          {"value_clip", nullptr},
                                          {"lr_schedule", "constant"},
                                          {"shared_trunk", false},
                                          {"orthogonal", true},
                                          {"state_transform", ""},
                                          {"reward_transform", ""},
                                          {"network", "mlp"},
                                          {"network_file", ""},
                                          {"network_backend", "auto"},
                                          {"device", "auto"},
                                          // Beyond the table.
                                          {"activation", "tanh"},
                                          {"initial_log_std", 0},
                                          {"kl_beta", 1},
                                          {"value_weight", 0.5}};
  check_defaults(*detail::component<ppo::Ppo>(), documented);
}

BOOST_AUTO_TEST_CASE(networks_have_the_layers_that_were_asked_for) {
  const auto parameters = [](const PpoRig& rig, const char* name) { return rig.values(name).size(); };
  const PpoRig alike({{"hidden_layers", {3}}});
  BOOST_TEST((parameters(alike, "actor") == 3u * 3 + 4 * 2 && parameters(alike, "critic") == 3u * 3 + 4));
  const PpoRig apart({{"hidden_layers", {3}}, {"actor_hidden_layers", {5}}, {"critic_hidden_layers", kNone}});
  BOOST_TEST((parameters(apart, "actor") == 3u * 5 + 6 * 2 && parameters(apart, "critic") == 3u));
  const PpoRig shared({{"hidden_layers", {3}}, {"shared_trunk", true}, {"critic_hidden_layers", {4}}});
  BOOST_TEST(shared.networks.find("critic") == nullptr);
  BOOST_TEST(parameters(shared, "actor_critic") == 3u * 3 + 4 * 2 + 4 * 4 + 5);
  BOOST_TEST(!PpoRig({{"orthogonal", false}}).values("actor").empty());
}

BOOST_AUTO_TEST_CASE(orthogonal_policy_is_nearly_uniform_at_the_start) {
  PpoRig rig({{"rollout_length", 5}});
  rig.remember(rows(5));
  BOOST_TEST(near(rig.loss("policy"), -0.005 * std::log(2.0), 1e-5));
}

BOOST_AUTO_TEST_CASE(spaces_that_do_not_fit_are_refused) {
  PpoSetup cells;
  cells.obs = Space::discrete(16);
  BOOST_TEST(PpoRig({}, cells).message ==
             "PPO needs observations that are a Box of float32 or uint8, found Discrete(16) of i64");
  BOOST_TEST(PpoRig({}, cells).status == SPAR_E_INVALID);
  Space box = Space::box(3, 0, 1);
  spar_space switches = *box.abi();
  switches.kind = SPAR_SPACE_MULTI_BINARY;
  PolicyStage stage({}, Space::discrete(2));
  BOOST_CHECK_EXCEPTION(
      ppo::make_policy(Context(&ppo_host(), &stage.context), {}, switches, 1), StatusError, [](const StatusError& e) {
        return e.code == SPAR_E_INVALID &&
               std::string(e.what()) ==
                   "PPO needs Discrete or Box actions, found MultiBinary(3): choose another environment";
      });
}

BOOST_AUTO_TEST_CASE(what_is_not_offered_yet_is_refused_with_the_way_out) {
  const PpoRig cuda({{"device", "cuda"}});
  BOOST_TEST(cuda.status == SPAR_E_UNSUPPORTED);
  BOOST_TEST(cuda.message ==
             "network `actor` asks for backend `torch`, and this component has no backends: leave it out");
  BOOST_TEST(PpoRig({{"network", "cnn"}}).message ==
             "PPO with network = \"cnn\" needs frames [channels, height, width], found Box(2): use network = \"mlp\"");
  BOOST_TEST(
      PpoRig({{"network", "torchscript"}}).message ==
      "PPO has a network for the policy and one for the values, and network = \"torchscript\" names one file: set "
      "shared_trunk = true, whose module gives the policy's outputs and then the value");
}

BOOST_AUTO_TEST_CASE(options_that_contradict_each_other_are_refused) {
  const PpoRig large({{"batch_size", 49}});
  BOOST_TEST(large.status == SPAR_E_INVALID);
  BOOST_TEST(large.message ==
             "batch_size is 49, expected at most the 48 transitions of one learning phase, which is rollout_length 48 "
             "times the number of environment copies");
  BOOST_TEST(
      PpoRig({{"shared_trunk", true}, {"critic_number_updates", 3}}).message ==
      "with shared_trunk each step is of both losses, but actor_number_updates is 10 and critic_number_updates is "
      "3: set both to one number");
  PpoSetup endless;
  endless.budget = std::nullopt;
  BOOST_TEST(PpoRig({{"lr_schedule", "linear"}}, endless).message ==
             "lr_schedule = \"linear\" falls with the step budget, and the run has none: add { env_steps = N } to "
             "stop.any (stop.training.any for learned responses)");
  BOOST_TEST(PpoRig({}, endless).status == SPAR_OK);
  PpoSetup nobody;
  nobody.lanes = 0;
  BOOST_TEST(PpoRig({}, nobody).status == SPAR_E_UNSUPPORTED);
}

BOOST_AUTO_TEST_SUITE_END()
