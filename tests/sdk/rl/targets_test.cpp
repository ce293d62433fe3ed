#include "spar/rl/targets.hpp"

#include "spar/rl/dueling.hpp"
#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(targets)

BOOST_AUTO_TEST_CASE(only_termination_stops_the_bootstrap) {
  const Json golden_case = golden("bootstrap.mask");
  const Json& in = golden_case.at("inputs");
  const double gamma = number(in.at("gamma")), reward = number(in.at("reward")), value = number(in.at("V_final_obs"));
  const auto target = [&](bool terminated) {
    return bootstrap_target(reward, bootstrap_discount(gamma, 1, terminated), value);
  };
  const Json& expected = golden_case.at("expected");
  check(target(false), expected.at("term0_trunc0"));
  check(target(false), expected.at("term0_trunc1"));
  check(target(true), expected.at("term1_trunc0"));
  check(target(true), expected.at("term1_trunc1"));
  const Json& wrong = golden_case.at("wrong");
  check_not(target(false), wrong.at("F01_done_is_term_or_trunc"));
  check_not(target(false), wrong.at("F02_bootstraps_from_reset_obs"));
  check_not(target(true), wrong.at("F03_truncated_wins_when_both"));
}

BOOST_AUTO_TEST_CASE(value_under_a_time_limit_tends_to_the_endless_one) {
  const Json golden_case = golden("bootstrap.time_limit_fixpoint");
  const double reward = number(golden_case.at("inputs").at("reward"));
  for (const auto& [key, expected] : golden_case.at("expected").as_object()) {
    const std::string name(key);
    const int limit = std::stoi(name.substr(1));
    const double gamma = std::stod(name.substr(name.find('g') + 1));
    double value = 0;
    for (int sweep = 0; sweep < 4000; ++sweep) {
      double mean = 0;
      for (int t = 1; t <= limit; ++t)  // the last step of each episode is truncated, none terminates
        mean += bootstrap_target(reward, bootstrap_discount(gamma, 1, false), value) / limit;
      value = mean;
    }
    check(value, expected);
    check_not(value, golden_case.at("wrong").at("F01_" + name));
  }
}

BOOST_AUTO_TEST_CASE(dqn_targets_choose_and_value_with_the_right_networks) {
  const Json golden_case = golden("dqn.targets");
  const Json& in = golden_case.at("inputs");
  const auto reward = numbers(in.at("r")), terminated = numbers(in.at("terminated"));
  const auto online = numbers(in.at("q_online_next")), next = numbers(in.at("q_target_next"));
  std::vector<double> discount;
  for (const double t : terminated) discount.push_back(bootstrap_discount(number(in.at("gamma")), 1, t != 0));
  std::vector<double> single_q(3), double_q(3);
  dqn_targets(reward, discount, next, single_q);
  double_dqn_targets(reward, discount, online, next, double_q);
  check(single_q, golden_case.at("expected").at("single"));
  check(double_q, golden_case.at("expected").at("double"));
  check_not(double_q, golden_case.at("wrong").at("F26_swapped_networks"));
  check_not(double_q, golden_case.at("wrong").at("F27_single_for_double"));
  check_not(single_q[1], golden_case.at("wrong").at("F01_terminated_bootstraps"));
}

BOOST_AUTO_TEST_CASE(float_arrays_give_float_targets) {
  const float reward[] = {1.0f}, discount[] = {0.5f}, next[] = {2.0f, 6.0f};
  float target[] = {0.0f};
  dqn_targets(View(reward, 1), View(discount, 1), View(next, 2), View(target, 1));
  BOOST_TEST(target[0] == 4.0f);
}

BOOST_AUTO_TEST_CASE(first_of_equal_values_is_the_argmax) {
  const double values[] = {1, 3, 3, 2};
  BOOST_TEST(argmax(values, 4) == 1u);
}

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  std::vector<double> two(2), three(3), five(5), six(6);
  BOOST_CHECK_THROW(dqn_targets(two, two, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(dqn_targets(two, three, six, two), std::invalid_argument);
  BOOST_CHECK_THROW(dqn_targets(two, two, six, three), std::invalid_argument);
  BOOST_CHECK_THROW(double_dqn_targets(two, two, two, six, two), std::invalid_argument);
  BOOST_CHECK_THROW(dueling(two, five, five), std::invalid_argument);
  BOOST_CHECK_THROW(dueling_gradient(six, two, five), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dueling_aggregation)

BOOST_AUTO_TEST_CASE(advantages_are_centred_within_their_row) {
  const Json golden_case = golden("dueling.scalar");
  const auto value = numbers(golden_case.at("inputs").at("V")), advantage = numbers(golden_case.at("inputs").at("A"));
  std::vector<double> q(advantage.size());
  dueling(value, advantage, q);
  check(q, golden_case.at("expected").at("Q"));
  check_not(q, golden_case.at("wrong").at("F25_mean_over_batch_and_actions"));
  check_not(q, golden_case.at("wrong").at("F25_max"));
}

BOOST_AUTO_TEST_CASE(gradient_equals_finite_differences) {
  const std::vector<double> value = {0.3, -1.2}, advantage = {0.1, 2.0, -0.7, 1.5, 0.2, 0.9};
  const std::vector<double> dq = {1.0, -0.5, 0.25, 0.75, 2.0, -1.0};
  const auto objective = [&](const std::vector<double>& v, const std::vector<double>& a) {
    std::vector<double> q(a.size());
    dueling(v, a, q);
    double sum = 0;
    for (size_t i = 0; i < q.size(); ++i) sum += dq[i] * q[i];
    return sum;
  };
  std::vector<double> dvalue(2), dadvantage(6);
  dueling_gradient(dq, dvalue, dadvantage);
  const auto slope = [&](std::vector<double> v, std::vector<double> a, bool of_value, size_t i) {
    double& x = of_value ? v[i] : a[i];
    x += 1e-4;
    const double above = objective(v, a);
    x -= 2e-4;
    return (above - objective(v, a)) / 2e-4;
  };
  for (size_t i = 0; i < 2; ++i) BOOST_TEST(std::abs(dvalue[i] - slope(value, advantage, true, i)) < 1e-8);
  for (size_t i = 0; i < 6; ++i) BOOST_TEST(std::abs(dadvantage[i] - slope(value, advantage, false, i)) < 1e-8);
}

BOOST_AUTO_TEST_SUITE_END()
