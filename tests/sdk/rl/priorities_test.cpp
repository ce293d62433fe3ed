#include "spar/rl/priorities.hpp"

#include "spar/rl/losses.hpp"
#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(priorities)

BOOST_AUTO_TEST_CASE(probabilities_and_weights_are_those_of_schaul) {
  const Json golden_case = golden("per.basic");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const auto td = numbers(in.at("td"));
  const double eps = number(in.at("eps")), alpha = number(in.at("alpha")), beta = number(in.at("beta"));
  const double stored = number(in.at("N"));
  std::vector<double> mass, raw, probability(4), weight(4);
  double total = 0;
  for (const double error : td) mass.push_back(priority_mass(error, alpha, eps));
  for (const double m : mass) total += m;
  priority_probabilities(mass, probability);
  for (const double p : probability) raw.push_back(importance_weight(p, stored, beta));
  importance_weights(probability, stored, beta, weight);
  check(mass, expected.at("p_alpha"));
  check(total, expected.at("total"));
  check(probability, expected.at("P"));
  check(raw, expected.at("w_raw"));
  check(weight, expected.at("w_norm"));
  check_not(raw, wrong.at("F12_no_N_raw"));
  check_not(raw, wrong.at("F13_inverse"));
  check_not(mass, wrong.at("F14_eps_after_power"));
  check_not(mass, wrong.at("F16_priority_from_weighted_loss"));
  check_not(probability[2], wrong.at("F15_zero_priority_idx2_P"));

  std::vector<double> picks;
  for (size_t i = 0; i < 4; ++i)
    picks.push_back(static_cast<double>(pick_by_mass(mass, stratified_position(i, 4, 0.5, total))));
  check(picks, expected.at("stratified_idx"));

  const std::vector<double> zero(4);
  check(mean_loss(SquaredError{}, td, zero, weight), expected.at("weighted_mse_mean"));
  check_not(mean_loss(SquaredError{}, td, zero, weight), wrong.at("F17_weights_not_used"));

  std::vector<double> batch_weight(2);
  importance_weights(std::vector<double>{probability[1], probability[3]}, stored, beta, batch_weight);
  check(batch_weight, expected.at("batch_1_3_w_batch_norm"));
  check_not(batch_weight, expected.at("batch_1_3_w_buffer_norm"));
}

BOOST_AUTO_TEST_CASE(pick_uses_half_open_intervals_and_skips_what_has_no_mass) {
  for (const char* name : {"per.sumtree4", "per.sumtree_zero_leaf", "per.sumtree6_partial"}) {
    const Json golden_case = golden(name);
    const auto leaves = numbers(golden_case.at("inputs").at("leaves"));
    for (const auto& [position, leaf] : golden_case.at("expected").at("retrieve").as_object())
      BOOST_TEST(pick_by_mass(leaves, std::stod(std::string(position))) == leaf.to_number<size_t>(),
                 name << " at " << position);
  }
}

BOOST_AUTO_TEST_CASE(no_exponent_gives_the_uniform_draw) {
  std::vector<double> weight(2), probability(2);
  priority_probabilities(std::vector<double>{priority_mass(5, 0, 0.01), priority_mass(0, 0, 0.01)}, probability);
  BOOST_TEST(probability[0] == 0.5);
  importance_weights(std::vector<double>{0.1, 0.9}, 10, 0, weight);
  BOOST_TEST(weight == (std::vector<double>{1, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unequal_lengths_are_refused) {
  std::vector<double> two(2, 0.5), three(3);
  BOOST_CHECK_THROW(priority_probabilities(two, three), std::invalid_argument);
  BOOST_CHECK_THROW(importance_weights(two, 2, 1, three), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
