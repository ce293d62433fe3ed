#include "plugins/algorithms/dqn/dqn.hpp"

#include "plugins/algorithms/rig.hpp"
#include "support/golden.hpp"

using namespace spar;
using namespace spar::test;

namespace {

using Rig = RigOf<dqn::Dqn>;

std::vector<float> floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

/// Weights row by row, then biases: the canonical order of a linear layer.
std::vector<float> layer(const Json& from, const std::string& weight, const std::string& bias) {
  auto all = floats(numbers(from.at(weight)));
  for (const float b : floats(numbers(from.at(bias)))) all.push_back(b);
  return all;
}

void check_close(const std::vector<float>& found, const std::vector<float>& expected) {
  BOOST_REQUIRE_EQUAL(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    BOOST_TEST(std::abs(found[i] - expected[i]) <= 1e-5F * std::max(1.0F, std::abs(expected[i])),
               "number " << i << " is " << found[i] << ", expected " << expected[i]);
}

const boost::json::object kLinear = {{"hidden_layers", boost::json::array{}},
                                     {"dueling", false},
                                     {"loss", "mse"},
                                     {"lr", 0.001},
                                     {"tau", 0.02},
                                     {"max_grad_norm", 10},
                                     {"batch_size", 2}};

/// The worked example, ready for its update.
void prepare(Rig& rig, const Json& in, const std::vector<float>& q, const std::vector<float>& q_target) {
  rig.set_values("q", q);
  rig.set_values("q_target", q_target);
  GivenBatch& given = rig.context.given;
  given.obs = floats(numbers(in.at("S")));
  given.next_obs = floats(numbers(in.at("S_next")));
  given.reward = floats(numbers(in.at("R")));
  given.discount = floats(numbers(in.at("discount")));
  given.weight = floats(numbers(in.at("is_weights")));
  for (const double a : numbers(in.at("A"))) given.action.push_back(static_cast<int64_t>(a));
}

void prepare(Rig& rig, const Json& in) { prepare(rig, in, layer(in, "W", "b"), layer(in, "W_target", "b_target")); }

boost::json::object with(boost::json::object options, const char* key, boost::json::value value) {
  options[key] = std::move(value);
  return options;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dqn_update)

BOOST_AUTO_TEST_CASE(loss_of_a_batch_is_the_golden_one_and_changes_nothing) {
  const Json golden_case = golden("e2e.dqn_linear");
  Rig rig(kLinear);
  prepare(rig, golden_case.at("inputs"));
  const auto before = rig.values("q");
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  const spar_query query{sizeof(spar_query), 0, 2, 0.4};
  BOOST_REQUIRE(give_batch(&rig.context, &query, &batch, nullptr) == SPAR_OK);
  const double expected = number(golden_case.at("expected").at("loss"));
  BOOST_TEST(std::abs(std::get<double>(rig.value_loss(batch)) - expected) <= 1e-5);
  BOOST_TEST(std::abs(std::get<double>(rig.value_loss(batch)) - expected) <= 1e-5);
  BOOST_TEST(rig.values("q") == before, boost::test_tools::per_element());
  BOOST_TEST(rig.metrics.drain().empty());
  batch.rows = 3;
  BOOST_TEST(std::get<std::string>(rig.value_loss(batch)) == "the batch has 3 rows, expected 1 to 2");
  BOOST_TEST(rig.table->get_extension(rig.self, "spar.algo.other/1") == nullptr);
}

BOOST_AUTO_TEST_CASE(one_update_is_the_golden_one) {
  const Json golden_case = golden("e2e.dqn_linear");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  Rig rig(kLinear);
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  prepare(rig, in);
  rig.learn();
  check_close(rig.values("q"), layer(expected, "W_new", "b_new"));
  check_close(rig.values("q_target"), layer(expected, "W_target_new", "b_target_new"));
  check_close(rig.context.given.priorities, floats(numbers(expected.at("priorities"))));
  const auto y = numbers(expected.at("y")), q = numbers(expected.at("q"));
  for (size_t i = 0; i < y.size(); ++i)
    BOOST_TEST(std::abs(std::abs(q[i] - y[i]) - static_cast<double>(rig.context.given.priorities[i])) <= 1e-5);
  std::map<std::string, double> recorded;
  for (const auto& [name, value] : rig.metrics.drain()) recorded[std::string(name)] = value;
  BOOST_TEST(std::abs(recorded.at("loss/q") - number(expected.at("loss"))) <= 1e-5);
  BOOST_TEST(std::abs(recorded.at("loss/q") - number(wrong.at("F17_no_is_weight_loss"))) > 1e-3);
  BOOST_TEST(std::abs(recorded.at("grad_norm/q") - number(expected.at("grad_norm"))) <= 1e-5 * 3.4);
  BOOST_TEST(std::abs(recorded.at("q/mean") - (q[0] + q[1]) / 2) <= 1e-6);
  // Polyak before the step would leave 0.402 where 0.40202 stands.
  BOOST_TEST(std::abs(rig.values("q_target")[0] - numbers(wrong.at("F52_polyak_before_step_W"))[0]) > 1.5e-5);
}

BOOST_AUTO_TEST_CASE(uniform_batch_has_weights_of_one_and_gives_no_priorities) {
  const Json golden_case = golden("e2e.dqn_linear");
  Rig rig(with(kLinear, "prioritized", false));
  prepare(rig, golden_case.at("inputs"));
  rig.context.given.weight.clear();
  rig.learn();
  BOOST_TEST(rig.context.given.priorities.empty());
  BOOST_TEST(std::abs(rig.metric("loss/q") - number(golden_case.at("wrong").at("F17_no_is_weight_loss"))) <= 1e-5);
}

BOOST_AUTO_TEST_CASE(double_q_learning_lets_the_online_network_choose) {
  // Online prefers action 0 in s', the target network action 1: its values are 1 and 3.
  for (const auto& [twice, expected] : {std::pair{true, 1.0F}, {false, 3.0F}}) {
    Rig rig(with(kLinear, "using_double_q", twice));
    rig.set_values("q", {0, 0, 0, 0, 2, 1});
    rig.set_values("q_target", {0, 0, 0, 0, 1, 3});
    GivenBatch& given = rig.context.given;
    given.obs = given.next_obs = {0, 0, 0, 0};
    given.action = {0, 0};
    given.reward = {2, 2};  // q = 2, y = 2 + discount * value
    given.discount = {1, 0};
    given.weight = {1, 1};
    rig.learn();
    check_close(given.priorities, {expected, 0});
  }
}

BOOST_AUTO_TEST_CASE(hard_copies_come_every_so_many_updates_also_after_a_restart) {
  const Json golden_case = golden("e2e.dqn_linear");
  const auto options = with(kLinear, "target_update_every", 3);
  Rig rig(options);
  prepare(rig, golden_case.at("inputs"));
  const auto before = rig.values("q_target");
  rig.learn();
  rig.learn();
  BOOST_TEST(rig.values("q_target") == before, boost::test_tools::per_element());

  Rig other(options);
  prepare(other, golden_case.at("inputs"));
  other.load(rig.save());
  for (Rig* one : {&rig, &other}) {
    one->learn();
    BOOST_TEST(one->values("q_target") == one->values("q"), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(loss_that_is_not_finite_is_told_although_the_step_is_refused) {
  const Json golden_case = golden("e2e.dqn_linear");
  Rig rig(kLinear);
  prepare(rig, golden_case.at("inputs"));
  rig.context.given.obs[0] = std::nanf("");
  const auto before = rig.values("q_target");
  spar_error error = fresh_error();
  BOOST_TEST(rig.table->learn(rig.self, 5, &error) < 0);
  BOOST_TEST(std::string(error.message).find("gradient norm of network `q` is not finite") != std::string::npos);
  BOOST_REQUIRE(rig.metrics.broken().has_value());
  BOOST_TEST(rig.metrics.name(rig.metrics.broken()->id) == "loss/q");
  BOOST_TEST(rig.metrics.broken()->step == 5u);
  BOOST_TEST(rig.values("q_target") == before, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(target_starts_as_a_copy) {
  Rig rig;
  BOOST_TEST(rig.values("q") == rig.values("q_target"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(beta_grows_to_one_with_the_budget) {
  const Json golden_case = golden("e2e.dqn_linear");
  Rig rig(kLinear);
  prepare(rig, golden_case.at("inputs"));
  for (const auto& [step, beta] : {std::pair<uint64_t, double>{0, 0.4}, {500, 0.7}, {1'000, 1.0}}) {
    rig.budget.advance_to(step);
    rig.learn();
    BOOST_TEST(std::abs(rig.context.given.beta - beta) < 1e-12);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dqn_act)

BOOST_AUTO_TEST_CASE(greedy_takes_the_best_action_and_draws_nothing) {
  Rig rig(kLinear);
  rig.set_values("q", {1, 0, -1, 0, 0, 0});  // q = (x, -x)
  const auto before = rig.context.random.state();
  BOOST_TEST(rig.act(SPAR_MODE_GREEDY, {3, 0, -3, 0}) == (std::vector<int64_t>{0, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(rig.context.random.state().block == before.block);
  BOOST_TEST(rig.context.random.state().has_held == before.has_held);
  BOOST_TEST(rig.metrics.drain().empty());
  rig.act(SPAR_MODE_EXPLORE, {3, 0, -3, 0});
  BOOST_TEST(rig.context.random.state().block != before.block);
}

BOOST_AUTO_TEST_CASE(epsilon_falls_over_its_share_of_the_budget) {
  Rig rig(kLinear);
  for (const auto& [step, epsilon] : {std::pair<uint64_t, double>{0, 1.0}, {50, 0.525}, {100, 0.05}, {700, 0.05}}) {
    rig.budget.advance_to(step);
    rig.act(SPAR_MODE_EXPLORE, {0, 0});
    BOOST_TEST(std::abs(rig.metric("epsilon") - epsilon) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(epsilon_is_the_share_of_random_actions) {
  Rig rig(kLinear);
  rig.set_values("q", {0, 0, 0, 0, 1, 0});  // action 0 is best
  const auto share = [&](double epsilon) {
    int others = 0;
    for (int i = 0; i < 500; ++i)
      for (const int64_t a : rig.act(SPAR_MODE_EXPLORE, std::vector<float>(16, 0), epsilon)) others += a == 1;
    return others / 4'000.0;
  };
  BOOST_TEST(share(0) == 0.0);
  BOOST_TEST(std::abs(share(0.5) - 0.25) < 0.03);  // 4.4 standard errors
  BOOST_TEST(std::abs(share(1) - 0.5) < 0.035);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dqn_noisy)

const boost::json::object kNoisy = with(kLinear, "noisy", true);

BOOST_AUTO_TEST_CASE(each_update_has_noise_of_its_own_online_and_in_the_target) {
  Rig rig(kNoisy);
  prepare(rig, golden("e2e.dqn_linear").at("inputs"), rig.values("q"), rig.values("q_target"));
  const auto online = rig.values("q", SPAR_NET_NOISE), target = rig.values("q_target", SPAR_NET_NOISE);
  BOOST_TEST(online != target);
  rig.learn();
  BOOST_TEST(rig.values("q", SPAR_NET_NOISE) != online);
  BOOST_TEST(rig.values("q_target", SPAR_NET_NOISE) != target);
  BOOST_TEST(rig.values("q", SPAR_NET_NOISE) != rig.values("q_target", SPAR_NET_NOISE));
}

BOOST_AUTO_TEST_CASE(sigmas_are_learnt) {
  Rig rig(kNoisy);
  prepare(rig, golden("e2e.dqn_linear").at("inputs"), rig.values("q"), rig.values("q_target"));
  const auto before = rig.values("q");
  rig.learn();
  const auto after = rig.values("q");
  BOOST_REQUIRE_EQUAL(after.size(), 12u);  // weight, bias, and the sigmas of both
  for (size_t i = 6; i < after.size(); ++i) BOOST_TEST(after[i] != before[i]);
}

BOOST_AUTO_TEST_CASE(exploring_draws_noise_and_no_random_action) {
  Rig rig(kNoisy);
  // Both actions are worth 0, but for the noise.
  auto values = rig.values("q");
  std::fill_n(values.begin(), 6, 0.0F);
  rig.set_values("q", values);
  int others = 0;
  for (int i = 0; i < 400; ++i) {
    const auto actions = rig.act(SPAR_MODE_EXPLORE, {1, 1, 1, 1, 1, 1});
    BOOST_TEST((actions[0] == actions[1] && actions[1] == actions[2]));  // one noise for all rows of a step
    others += actions[0] == 1;
  }
  BOOST_TEST(std::abs(others / 400.0 - 0.5) < 0.1);  // 4 standard errors
  BOOST_TEST(rig.metrics.drain().empty());           // there is no epsilon
}

BOOST_AUTO_TEST_CASE(greedy_uses_the_means_and_changes_nothing) {
  Rig rig(kNoisy);
  auto values = rig.values("q");
  const std::vector<float> means{1e-3F, 0, -1e-3F, 0, 0, 0};  // q = (x, -x) / 1000, far below the noise
  std::copy(means.begin(), means.end(), values.begin());
  rig.set_values("q", values);
  const auto noise = rig.values("q", SPAR_NET_NOISE);
  for (int i = 0; i < 10; ++i)
    BOOST_TEST(rig.act(SPAR_MODE_GREEDY, {3, 0, -3, 0}) == (std::vector<int64_t>{0, 1}),
               boost::test_tools::per_element());
  BOOST_TEST(rig.values("q", SPAR_NET_NOISE) == noise, boost::test_tools::per_element());
  rig.act(SPAR_MODE_EXPLORE, {3, 0});
  BOOST_TEST(rig.values("q", SPAR_NET_NOISE) != noise);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dqn_masks)

BOOST_AUTO_TEST_CASE(forbidden_actions_are_never_taken) {
  Rig rig(kLinear, 1'000, Space::box(2, -10, 10), Space::discrete(4));
  rig.set_values("q", {0, 0, 0, 0, 0, 0, 0, 0, /**/ 1, 4, 3, 2});  // action 1 is best
  const std::vector<uint8_t> mask{1, 1, 1, 1, /**/ 1, 0, 1, 1, /**/ 1, 0, 0, 1};
  const std::vector<float> obs(6, 0);
  BOOST_TEST(rig.act(SPAR_MODE_GREEDY, obs, std::nan(""), mask) == (std::vector<int64_t>{1, 2, 3}),
             boost::test_tools::per_element());
  BOOST_TEST(rig.act(SPAR_MODE_EXPLORE, obs, 0, mask) == (std::vector<int64_t>{1, 2, 3}),
             boost::test_tools::per_element());
  std::vector<int> third(4, 0);
  for (int i = 0; i < 600; ++i) {
    const auto actions = rig.act(SPAR_MODE_EXPLORE, obs, 1, mask);
    BOOST_TEST(actions[1] != 1);
    ++third[static_cast<size_t>(actions[2])];
  }
  BOOST_TEST((third[1] == 0 && third[2] == 0));
  BOOST_TEST(std::abs(third[0] / 600.0 - 0.5) < 0.09);  // 4 standard errors
}

BOOST_AUTO_TEST_CASE(forbidden_actions_do_not_value_the_next_state) {
  for (const bool twice : {true, false}) {
    Rig rig(with(with(kLinear, "using_double_q", twice), "batch_size", 3));
    rig.set_values("q", {0, 0, 0, 0, 1, 5});
    rig.set_values("q_target", {0, 0, 0, 0, 2, 7});
    GivenBatch& given = rig.context.given;
    given.obs = given.next_obs = std::vector<float>(6, 0);
    given.action = {0, 0, 0};
    given.reward = {1, 1, 1};
    given.discount = {1, 1, 0};
    given.weight = {1, 1, 1};
    given.next_mask = {1, 1, /**/ 1, 0, /**/ 0, 0};  // the last row's episode has ended: its mask says nothing
    rig.learn();
    check_close(given.priorities, {7, 2, 0});  // |1 - (1 + discount Q')|
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dqn_options)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_documented_table) {
  const boost::json::object documented = {{"hidden_layers", {64, 64}},
                                          {"lr", 3e-4},
                                          {"gamma", 0.99},
                                          {"tau", 0.002},
                                          {"batch_size", 80},
                                          {"buffer_size", 100'000},
                                          {"warm_up", 0},
                                          {"update_freq", 1},
                                          {"number_updates", 1},
                                          {"max_grad_norm", 10},
                                          {"using_double_q", true},
                                          {"n_steps", 3},
                                          {"prioritized", true},
                                          {"alpha", 0.5},
                                          {"beta", 0.4},
                                          {"loss", "huber"},
                                          {"dueling", true},
                                          {"noisy", false},
                                          {"state_transform", ""},
                                          {"reward_transform", ""},
                                          {"network", "mlp"},
                                          {"network_file", ""},
                                          {"network_backend", "auto"},
                                          {"device", "auto"},
                                          {"target_update_every", 0},
                                          {"epsilon_start", 1},
                                          {"epsilon_end", 0.05},
                                          {"epsilon_decay", 0.1},
                                          {"priority_eps", 1e-6}};
  check_defaults(*detail::component<dqn::Dqn>(), documented);
}

BOOST_AUTO_TEST_CASE(needs_follow_the_options) {
  Rig rig({{"warm_up", 7},
           {"update_freq", 3},
           {"number_updates", 2},
           {"batch_size", 5},
           {"buffer_size", 50},
           {"n_steps", 4},
           {"gamma", 0.5},
           {"alpha", 0.25},
           {"prioritized", false},
           {"state_transform", "clip(5)"},
           {"reward_transform", "scale(0.1)"}});
  spar_needs needs{};
  needs.struct_size = sizeof needs;
  spar_error error = fresh_error();
  BOOST_REQUIRE(rig.table->needs(rig.self, &needs, &error) == SPAR_OK);
  BOOST_TEST(needs.buffer_kind == static_cast<uint32_t>(SPAR_BUF_REPLAY));
  BOOST_TEST((needs.warmup == 7 && needs.learn_every == 3 && needs.updates == 2 && needs.rows_per_learn == 5));
  BOOST_TEST((needs.capacity == 50 && needs.n_step == 4 && needs.gamma == 0.5 && needs.priority_alpha == 0.25));
  BOOST_TEST(std::string(needs.state_transform) == "clip(5)");
  BOOST_TEST(std::string(needs.reward_transform) == "scale(0.1)");
}

BOOST_AUTO_TEST_CASE(spaces_that_do_not_fit_are_refused) {
  const Rig continuous({}, 1'000, Space::box(2, -1, 1), Space::box(3, -1, 1));
  BOOST_TEST(continuous.status == SPAR_E_INVALID);
  BOOST_TEST(
      continuous.message ==
      "DQN needs a Discrete action space, found Box(3): choose an algorithm for continuous actions or a discrete "
      "environment");
  const Rig cells({}, 1'000, Space::discrete(16));
  BOOST_TEST(cells.message == "DQN needs observations that are a Box of float32 or uint8, found Discrete(16) of i64");
  const Rig images({{"network", "cnn"}}, 1'000, Space::image(84, 84, 4));
  BOOST_TEST(images.message.find("has shape [84, 84, 4], expected a picture of at least 36 x 36") != std::string::npos);
  const Rig bytes({}, 1'000, Space::frames(1, 4, 4));
  BOOST_TEST(bytes.status == SPAR_OK, bytes.message);
}

BOOST_AUTO_TEST_CASE(networks_that_do_not_fit_are_refused_with_the_way_out) {
  const Rig cuda({{"device", "cuda"}});
  BOOST_TEST(cuda.status == SPAR_E_UNSUPPORTED);
  BOOST_TEST(cuda.message == "network `q` asks for backend `torch`, and this component has no backends: leave it out");
  const Rig cnn({{"network", "cnn"}});
  BOOST_TEST(cnn.message.find("DQN with network = \"cnn\" needs frames [channels, height, width], found Box(") == 0u);
  const Rig noisy({{"network", "torchscript"}, {"noisy", true}});
  BOOST_TEST(noisy.message ==
             "noisy = true asks for noisy layers, and those of network = \"torchscript\" are in its file: use noisy = "
             "false");
}

BOOST_AUTO_TEST_CASE(options_that_contradict_each_other_are_refused) {
  const Rig small({{"buffer_size", 10}});
  BOOST_TEST(small.status == SPAR_E_INVALID);
  BOOST_TEST(small.message == "buffer_size is 10, expected at least batch_size, which is 80");
}

BOOST_AUTO_TEST_CASE(training_needs_a_step_budget_and_acting_does_not) {
  const Rig endless({}, std::nullopt);
  BOOST_TEST(endless.status == SPAR_E_INVALID);
  BOOST_TEST(endless.message ==
             "epsilon and beta are schedules over the step budget, and the run has none: add { env_steps = N } to "
             "stop.any (stop.training.any for learned responses)");
  BOOST_TEST(endless.networks.size() == 0u);
  const Rig noisy({{"noisy", true}}, std::nullopt), uniform({{"prioritized", false}}, std::nullopt);
  BOOST_TEST(noisy.message.starts_with("beta is a schedule over the step budget"));
  BOOST_TEST(uniform.message.starts_with("epsilon is a schedule over the step budget"));
  const Rig free({{"noisy", true}, {"prioritized", false}}, std::nullopt);
  BOOST_TEST(free.status == SPAR_OK, free.message);
  Rig opponent({}, std::nullopt, Space::box(2, -1, 1), Space::discrete(2), SPAR_ROLE_ACT);
  BOOST_TEST(opponent.status == SPAR_OK);
  BOOST_TEST(opponent.act(SPAR_MODE_GREEDY, {0, 0}).size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
