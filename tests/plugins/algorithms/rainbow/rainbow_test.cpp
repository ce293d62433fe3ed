#include "plugins/algorithms/rainbow/rainbow.hpp"

#include "plugins/algorithms/rig.hpp"
#include "support/golden.hpp"

using namespace spar;
using namespace spar::test;

namespace {

using Rig = RigOf<rainbow::Rainbow>;

/// One linear layer without noise, five atoms on [-2, 2].
const boost::json::object kLinear = {{"hidden_layers", boost::json::array{}},
                                     {"dueling", false},
                                     {"noisy", false},
                                     {"num_atoms", 5},
                                     {"v_min", -2},
                                     {"v_max", 2},
                                     {"batch_size", 1}};

boost::json::object with(boost::json::object options,
                         std::initializer_list<std::pair<const char*, boost::json::value>> more) {
  for (const auto& [key, value] : more) options[key] = value;
  return options;
}

/// A linear layer of two inputs whose outputs are `biases`.
std::vector<float> constant(const std::vector<double>& biases) {
  std::vector<float> values(2 * biases.size(), 0.0F);
  for (const double b : biases) values.push_back(static_cast<float>(b));
  return values;
}

std::vector<double> logarithms(std::vector<double> p) {
  for (double& x : p) x = std::log(x);
  return p;
}

std::vector<double> join(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// One row: observations of zeros, action 0.
void give_row(Rig& rig, double reward, double discount) {
  GivenBatch& given = rig.context.given;
  given.obs = given.next_obs = {0, 0};
  given.action = {0};
  given.reward = {static_cast<float>(reward)};
  given.discount = {static_cast<float>(discount)};
  given.weight = {1};
}

void check_close(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  BOOST_REQUIRE_EQUAL(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    BOOST_TEST(std::abs(found[i] - expected[i]) <= tolerance,
               "number " << i << " is " << found[i] << ", expected " << expected[i]);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rainbow_update)

// For one row the gradient of the biases is p - m, and after one step it stands in the first moment, times 0.1.
BOOST_AUTO_TEST_CASE(targets_are_the_golden_projections) {
  const Json golden_case = golden("c51.projection");
  const auto p = numbers(golden_case.at("inputs").at("p"));
  for (const auto& [name, in] : golden_case.at("inputs").at("cases").as_object()) {
    BOOST_TEST_CONTEXT(name) {
      Rig rig(kLinear, 1'000, Space::box(2, -10, 10), Space::discrete(2));
      BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
      // Action 1 is the better one in the next state for both networks; the other's atoms must not matter.
      const std::vector<double> worse{9, 0, 0, 0, 0};
      rig.set_values("q_target", constant(join(worse, logarithms(p))));
      rig.set_values("q", constant(join({5, 0, 0, 0, 0}, {0, 0, 0, 0, 0})));
      give_row(rig, number(in.at("R")), number(in.at("discount")));
      rig.learn();
      const auto moment = rig.values("q", SPAR_NET_MOMENT1);
      std::vector<double> m;
      const double mass = std::exp(5.0) / (std::exp(5.0) + 4);
      for (size_t j = 0; j < 5; ++j)
        m.push_back((j == 0 ? mass : (1 - mass) / 4) - static_cast<double>(moment[20 + j]) / 0.1);
      check_close(m, numbers(golden_case.at("expected").at(name).at("m")), 1e-5);
      for (size_t j = 5; j < 10; ++j) BOOST_TEST(moment[20 + j] == 0.0F);
    }
  }
}

BOOST_AUTO_TEST_CASE(loss_and_priority_are_the_golden_cross_entropy) {
  const Json golden_case = golden("c51.cross_entropy");
  const double expected = number(golden_case.at("expected").at("loss"));
  const auto p = numbers(golden("c51.projection").at("inputs").at("p"));
  Rig rig(kLinear, 1'000, Space::box(2, -10, 10), Space::discrete(1));
  rig.set_values("q_target", constant(logarithms(p)));
  rig.set_values("q", constant(numbers(golden_case.at("inputs").at("logits"))));
  give_row(rig, 0.3, 0.9);  // its projection is the golden m
  rig.context.given.weight = {0.5F};
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  const spar_query query{sizeof(spar_query), 0, 1, 0.4};
  BOOST_REQUIRE(give_batch(&rig.context, &query, &batch, nullptr) == SPAR_OK);
  const auto before = rig.values("q");
  BOOST_TEST(std::abs(std::get<double>(rig.value_loss(batch)) - 0.5 * expected) <= 1e-5);
  BOOST_TEST(rig.values("q") == before, boost::test_tools::per_element());
  BOOST_TEST(rig.metrics.drain().empty());

  rig.learn();
  BOOST_TEST(std::abs(static_cast<double>(rig.context.given.priorities.at(0)) - expected) <= 1e-5);
  std::map<std::string, double> recorded;
  for (const auto& [name, value] : rig.metrics.drain()) recorded[std::string(name)] = value;
  BOOST_TEST(std::abs(recorded.at("loss/q") - 0.5 * expected) <= 1e-5);
  BOOST_TEST(std::abs(recorded.at("q/mean") - number(golden_case.at("expected").at("q"))) <= 1e-5);
  BOOST_TEST(std::abs(recorded.at("loss/q") - number(golden_case.at("wrong").at("F24_bce_mean"))) > 1e-2);
  const auto moment = rig.values("q", SPAR_NET_MOMENT1);
  const auto gradient = numbers(golden_case.at("expected").at("grad"));
  for (size_t j = 0; j < 5; ++j) BOOST_TEST(std::abs(moment[10 + j] - 0.05 * gradient[j]) <= 1e-6);
}

BOOST_AUTO_TEST_CASE(distribution_of_a_chain_has_its_golden_fixed_point) {
  const Json golden_case = golden("c51.chain_fixpoint");
  Rig rig(with(kLinear, {{"num_atoms", 21},
                         {"v_min", -10},
                         {"v_max", 10},
                         {"batch_size", 4},
                         {"lr", 0.01},
                         {"target_update_every", 10},
                         {"prioritized", false}}),
          1'000, Space::box(4, 0, 1), Space::discrete(1));
  GivenBatch& given = rig.context.given;
  given.n_obs = 4;
  for (size_t distance = 0; distance < 4; ++distance) {  // from distance k to distance k - 1; from 0 into the goal
    for (size_t i = 0; i < 4; ++i) {
      given.obs.push_back(i == distance ? 1 : 0);
      given.next_obs.push_back(i + 1 == distance || (distance == 0 && i == 0) ? 1 : 0);
    }
    given.action.push_back(0);
    given.reward.push_back(distance == 0 ? 1 : 0);
    given.discount.push_back(distance == 0 ? 0 : 0.9F);
  }
  for (int update = 0; update < 6'000; ++update) rig.learn();
  const auto values = rig.values("q");
  for (size_t distance = 0; distance < 4; ++distance) {
    const Json& expected = golden_case.at("expected").at("dist_" + std::to_string(distance));
    std::vector<double> p;
    double total = 0, mean = 0;
    for (size_t j = 0; j < 21; ++j) {
      p.push_back(std::exp(static_cast<double>(values[j * 4 + distance]) + static_cast<double>(values[84 + j])));
      total += p.back();
      mean += p.back() * (static_cast<double>(j) - 10);
    }
    BOOST_TEST(std::abs(p[10] / total - number(expected.at("mass_at_0"))) < 0.01);
    BOOST_TEST(std::abs(p[11] / total - number(expected.at("mass_at_1"))) < 0.01);
    BOOST_TEST(std::abs(mean / total - number(expected.at("mean"))) < 0.01);
  }
}

BOOST_AUTO_TEST_CASE(forbidden_actions_do_not_value_the_next_state) {
  for (const bool twice : {true, false}) {
    Rig rig(with(kLinear, {{"using_double_q", twice}}));
    const std::vector<double> low{0, 20, 0, 0, 0}, high{0, 0, 0, 0, 20};  // worth -1 and 2
    for (const char* network : {"q", "q_target"}) rig.set_values(network, constant(join(low, high)));
    give_row(rig, 0, 1);
    rig.context.given.next_mask = {1, 0};
    rig.learn();
    BOOST_TEST(rig.context.given.priorities.at(0) < 0.01F);  // the target is what action 0 says already
    rig.context.given.next_mask = {1, 1};
    rig.learn();
    BOOST_TEST(rig.context.given.priorities.at(0) > 10.0F);
  }
}

BOOST_AUTO_TEST_CASE(each_update_has_noise_of_its_own_online_and_in_the_target) {
  Rig rig({{"batch_size", 1}});
  give_row(rig, 1, 0.9);
  const auto online = rig.values("q", SPAR_NET_NOISE), target = rig.values("q_target", SPAR_NET_NOISE);
  rig.learn();
  BOOST_TEST(rig.values("q", SPAR_NET_NOISE) != online);
  BOOST_TEST(rig.values("q_target", SPAR_NET_NOISE) != target);
  BOOST_TEST(rig.values("q", SPAR_NET_NOISE) != rig.values("q_target", SPAR_NET_NOISE));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rainbow_support)

BOOST_AUTO_TEST_CASE(targets_that_it_cannot_hold_are_counted_and_told_once) {
  Rig rig(with(kLinear, {{"batch_size", 2}}));
  give_row(rig, 0, 0);
  GivenBatch& given = rig.context.given;
  given.obs = given.next_obs = {0, 0, 0, 0};
  given.action = {0, 0};
  given.reward = {0.5F, 5};
  given.discount = {0, 0};
  given.weight = {1, 1};
  rig.learn();
  BOOST_TEST(rig.metric("targets/clipped") == 0.5);
  BOOST_TEST(rig.context.warnings.empty());
  for (uint64_t i = 0; i < 2 * rainbow::kClipWindow; ++i) rig.learn();
  BOOST_REQUIRE_EQUAL(rig.context.warnings.size(), 1u);
  BOOST_TEST(rig.context.warnings[0] ==
             "50.0 % of the targets lie outside the support [-2.0, 2.0] and are learnt as its ends: widen v_min and "
             "v_max, scale the rewards (reward_transform = \"scale(x)\") or lower gamma");
}

BOOST_AUTO_TEST_CASE(one_target_in_a_hundred_may_be_clipped) {
  common::ClipWatch watch(rainbow::kClipWindow);
  for (int window = 0; window < 5; ++window) BOOST_TEST(!watch.add(20, 2'000).has_value());
  BOOST_TEST(!watch.add(20, 1'999).has_value());
  BOOST_TEST(watch.add(1, 1).value() == 21 / 2'000.0);
  BOOST_TEST(!watch.add(2'000, 2'000).has_value());  // told once
}

BOOST_AUTO_TEST_CASE(saved_state_remembers_what_was_counted_and_told) {
  const auto options = with(kLinear, {{"batch_size", 1}, {"target_update_every", 3}});
  Rig rig(options), other(options);
  for (Rig* one : {&rig, &other}) give_row(*one, 5, 0);
  for (uint64_t i = 0; i + 1 < rainbow::kClipWindow; ++i) rig.learn();
  other.load(rig.save());
  BOOST_TEST(other.save() == rig.save());
  other.learn();
  BOOST_TEST(other.context.warnings.size() == 1u);
  rig.load(other.save());
  for (uint64_t i = 0; i < rainbow::kClipWindow; ++i) rig.learn();
  BOOST_TEST(rig.context.warnings.empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rainbow_act)

BOOST_AUTO_TEST_CASE(greedy_takes_the_largest_expectation_and_changes_nothing) {
  Rig rig(with(kLinear, {{"num_atoms", 3}, {"noisy", true}}));
  auto values = rig.values("q");
  std::fill_n(values.begin(), 18, 0.0F);
  // Action 0: all mass on 0 (its mode is highest). Action 1: half on -2, half and a bit on 2.
  const std::vector<double> biases{-9, 4, -9, 1, -9, 1.2};
  std::copy(biases.begin(), biases.end(), values.begin() + 12);
  rig.set_values("q", values);
  const auto noise = rig.values("q", SPAR_NET_NOISE);
  const auto random = rig.context.random.state();
  for (int i = 0; i < 5; ++i)
    BOOST_TEST(rig.act(SPAR_MODE_GREEDY, {3, 0, -3, 0}) == (std::vector<int64_t>{1, 1}),
               boost::test_tools::per_element());
  BOOST_TEST(rig.values("q", SPAR_NET_NOISE) == noise, boost::test_tools::per_element());
  BOOST_TEST(rig.values("q") == values, boost::test_tools::per_element());
  BOOST_TEST(rig.context.random.state().block == random.block);
  BOOST_TEST(rig.metrics.drain().empty());
  rig.act(SPAR_MODE_EXPLORE, {3, 0});
  BOOST_TEST(rig.values("q", SPAR_NET_NOISE) != noise);
}

BOOST_AUTO_TEST_CASE(forbidden_actions_are_never_taken) {
  Rig rig({}, 1'000, Space::box(2, -10, 10), Space::discrete(3));
  for (int i = 0; i < 200; ++i)
    for (const double epsilon : {0.0, 1.0}) {
      const auto actions = rig.act(SPAR_MODE_EXPLORE, {1, 2, 3, 4}, epsilon, {1, 0, 1, 0, 1, 0});
      BOOST_TEST((actions[0] != 1 && actions[1] == 1));
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rainbow_options)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_documented_table) {
  const boost::json::object documented = {{"hidden_layers", {100, 100}},
                                          {"lr", 1e-3},
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
                                          {"v_min", -10},
                                          {"v_max", 10},
                                          {"num_atoms", 21},
                                          {"prioritized", true},
                                          {"alpha", 0.5},
                                          {"beta", 0.4},
                                          {"dueling", true},
                                          {"noisy", true},
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
  check_defaults(*detail::component<rainbow::Rainbow>(), documented);
}

BOOST_AUTO_TEST_CASE(spaces_that_do_not_fit_are_refused_by_their_names) {
  const Rig continuous({}, 1'000, Space::box(2, -1, 1), Space::box(3, -1, 1));
  BOOST_TEST(continuous.status == SPAR_E_INVALID);
  BOOST_TEST(continuous.message ==
             "Rainbow needs a Discrete action space, found Box(3): choose an algorithm for continuous actions or a "
             "discrete environment");
  const Rig cells({}, 1'000, Space::discrete(16));
  BOOST_TEST(cells.message ==
             "Rainbow needs observations that are a Box of float32 or uint8, found Discrete(16) of i64");
}

BOOST_AUTO_TEST_CASE(support_without_length_is_refused) {
  const Rig empty({{"v_min", 3}, {"v_max", 3}});
  BOOST_TEST(empty.status == SPAR_E_INVALID);
  BOOST_TEST(empty.message == "v_min is 3.0, expected less than v_max, which is 3.0");
}

BOOST_AUTO_TEST_CASE(options_that_do_not_fit_are_refused_with_the_way_out) {
  const Rig cuda({{"device", "cuda"}}), cnn({{"network", "cnn"}}), small({{"buffer_size", 10}});
  BOOST_TEST(cuda.message == "network `q` asks for backend `torch`, and this component has no backends: leave it out");
  BOOST_TEST(cnn.message.find("Rainbow with network = \"cnn\" needs frames [channels, height, width]") == 0u);
  BOOST_TEST(small.message == "buffer_size is 10, expected at least batch_size, which is 80");
}

BOOST_AUTO_TEST_SUITE_END()
