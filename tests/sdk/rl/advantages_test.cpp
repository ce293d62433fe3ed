#include "spar/rl/advantages.hpp"

#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

namespace {

using Vector = std::vector<double>;

/// Five steps of one copy: the episode ends at t = 3 and the rollout is cut after t = 4.
struct FiveSteps {
  Json golden_case = golden("gae.five_steps");
  Vector reward = numbers(golden_case.at("inputs").at("r")), value = numbers(golden_case.at("inputs").at("V"));
  Vector next{value[1], value[2], value[3], number(golden_case.at("inputs").at("V_final_obs_t3")),
              number(golden_case.at("inputs").at("V_next_after_t4"))};
  Vector last{0, 0, 0, 1, 1}, truncated{0, 0, 0, 0, 0}, terminated{0, 0, 0, 1, 0};

  Vector advantages(const Vector& terminations, double lambda) const {
    Vector a(5);
    gae(reward, terminations, last, value, next, number(golden_case.at("inputs").at("gamma")), lambda, a);
    return a;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(advantages)

BOOST_AUTO_TEST_CASE(traces_end_with_their_episode_and_truncation_goes_on_bootstrapping) {
  const FiveSteps steps;
  for (const auto& [name, lambda] :
       {std::pair{"lambda_0.95", 0.95}, {"lambda_0.96", 0.96}, {"lambda_1", 1.0}, {"lambda_0", 0.0}}) {
    for (const auto& [end, terminations] :
         {std::pair{"truncated_at_3", steps.truncated}, {"terminated_at_3", steps.terminated}}) {
      const Json& expected = steps.golden_case.at("expected").at(name).at(end);
      const Vector advantage = steps.advantages(terminations, lambda);
      Vector targets(5);
      for (size_t t = 0; t < 5; ++t) targets[t] = advantage[t] + steps.value[t];
      check(advantage, expected.at("adv"));
      check(targets, expected.at("ret"));
      check(steps.advantages(terminations, 0), expected.at("delta"));
    }
  }
  const Vector found = steps.advantages(steps.truncated, 0.95);
  const Json& wrong = steps.golden_case.at("wrong");
  for (const char* fault :
       {"F01_truncated_as_terminated_adv", "F02_bootstrap_from_reset_obs_adv", "F31_trace_not_cut_adv",
        "F32_mask_off_by_one_adv", "F33_last_value_from_last_obs_not_next_adv"})
    check_not(found, wrong.at(fault));
  Vector targets(5);
  for (size_t t = 0; t < 5; ++t) targets[t] = found[t] + steps.value[t];
  check_not(targets, wrong.at("F34_returns_from_normalised_adv"));
}

BOOST_AUTO_TEST_CASE(discounted_returns_are_advantages_of_lambda_one_plus_values) {
  const FiveSteps steps;
  for (const Vector& terminations : {steps.truncated, steps.terminated}) {
    Vector returns(5), targets = steps.advantages(terminations, 1);
    for (size_t t = 0; t < 5; ++t) targets[t] += steps.value[t];
    discounted_returns(steps.reward, terminations, steps.last, steps.next, 0.99, returns);
    BOOST_TEST(same(returns, targets), text_of(returns) << "expected " << text_of(targets));
  }
}

BOOST_AUTO_TEST_CASE(copies_do_not_reach_into_each_other) {
  const FiveSteps steps;
  const auto twice = [](const Vector& x) {
    Vector both = x;
    both.insert(both.end(), x.begin(), x.end());
    return both;
  };
  Vector both(10);
  gae(twice(steps.reward), twice(steps.truncated), twice(steps.last), twice(steps.value), twice(steps.next), 0.99, 0.95,
      both);
  BOOST_TEST(both == twice(steps.advantages(steps.truncated, 0.95)), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(columns_of_a_rollout_are_taken_as_they_are) {
  const std::vector<float> reward = {1, 2}, value = {0.5f, 0.25f}, next = {0.25f, 4};
  const std::vector<uint8_t> terminated = {0, 1}, last = {0, 1};
  std::vector<float> advantage(2);
  gae(reward, terminated, last, value, next, 0.5, 1.0, advantage);
  BOOST_TEST(advantage == (std::vector<float>{1.5f, 1.75f}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(normalised_advantages_have_mean_0_and_deviation_1) {
  const FiveSteps steps;
  Vector advantage = steps.advantages(steps.truncated, 0.95);
  const Json& expected = steps.golden_case.at("expected").at("normalised_lambda_0.95");
  normalise(advantage);
  check(advantage, expected.at("unbiased_std_torch_default"));
  check_not(advantage, expected.at("population_std_spinningup"));
}

BOOST_AUTO_TEST_CASE(batch_of_one_is_left_alone) {
  const Json golden_case = golden("gae.batch_of_one");
  Vector advantage = numbers(golden_case.at("inputs").at("adv")), none;
  normalise(advantage);
  normalise(none);
  check(advantage, golden_case.at("expected").at("normalised"));
  check_not(advantage, golden_case.at("wrong").at("F35_population_std"));
  Vector equal = {2, 2};
  normalise(equal);
  BOOST_TEST(equal == (Vector{0, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  Vector two(2), three(3);
  BOOST_CHECK_THROW(gae(two, three, two, two, two, 1, 1, two), std::invalid_argument);
  BOOST_CHECK_THROW(gae(two, two, three, two, two, 1, 1, two), std::invalid_argument);
  BOOST_CHECK_THROW(gae(two, two, two, three, two, 1, 1, two), std::invalid_argument);
  BOOST_CHECK_THROW(gae(two, two, two, two, three, 1, 1, two), std::invalid_argument);
  BOOST_CHECK_THROW(gae(two, two, two, two, two, 1, 1, three), std::invalid_argument);
  BOOST_CHECK_THROW(discounted_returns(two, two, three, two, 1, two), std::invalid_argument);
  BOOST_CHECK_THROW(discounted_returns(two, two, two, two, 1, three), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
