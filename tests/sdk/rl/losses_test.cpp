#include "spar/rl/losses.hpp"

#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(losses)

BOOST_AUTO_TEST_CASE(losses_and_gradients_of_a_dqn_batch) {
  const Json golden_case = golden("dqn.targets");
  const Json& expected = golden_case.at("expected");
  const auto prediction = numbers(golden_case.at("inputs").at("q_taken")), target = numbers(expected.at("double"));
  const auto weight = numbers(golden_case.at("inputs").at("is_weights"));
  std::vector<double> td, size, gradient(3);
  for (size_t i = 0; i < 3; ++i) td.push_back(prediction[i] - target[i]);
  for (const double error : td) size.push_back(std::abs(error));
  check(td, expected.at("td"));
  check(size, expected.at("new_priorities_abs_td"));
  check(mean_loss(SquaredError{}, prediction, target), expected.at("mse"));
  check(mean_loss(HuberError{}, prediction, target), expected.at("huber"));
  check(mean_loss(SquaredError{}, prediction, target, weight), expected.at("weighted_mse"));
  check(mean_loss(HuberError{}, prediction, target, weight), expected.at("weighted_huber"));
  mean_loss_gradient(SquaredError{}, prediction, target, gradient);
  check(gradient, expected.at("dmse_dq"));
  mean_loss_gradient(HuberError{}, prediction, target, gradient);
  check(gradient, expected.at("dhuber_dq"));
  check_not(mean_loss(SquaredError{}, prediction, target), golden_case.at("wrong").at("F28_loss_clipped_not_grad"));
  check_not(mean_loss(HuberError{}, prediction, target), golden_case.at("wrong").at("F28_loss_clipped_not_grad"));
}

BOOST_AUTO_TEST_CASE(weighted_gradient_is_the_weight_times_the_plain_one) {
  const std::vector<float> prediction = {1, 4}, target = {0, 0}, weight = {0.5f, 0.25f};
  std::vector<float> gradient(2);
  mean_loss_gradient(HuberError{2}, prediction, target, weight, gradient);
  BOOST_TEST(gradient == (std::vector<float>{0.25f, 0.25f}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(loss_is_element_wise) {
  const Json golden_case = golden("loss.broadcast");
  const auto prediction = numbers(golden_case.at("inputs").at("pred"));
  const auto target = numbers(golden_case.at("inputs").at("target"));
  const double loss = mean_loss(SquaredError{}, prediction, target);
  check(loss, golden_case.at("expected").at("mse"));
  check_not(loss, golden_case.at("wrong").at("F29_broadcast_BxB"));
}

BOOST_AUTO_TEST_CASE(unequal_lengths_are_refused_with_both_numbers) {
  const std::vector<double> three(3), nine(9);
  std::vector<double> gradient(9);
  const auto names_both = [](const std::invalid_argument& error) {
    const std::string text = error.what();
    return text.find('9') != text.npos && text.find('3') != text.npos && text.find("target") != text.npos;
  };
  BOOST_CHECK_EXCEPTION(mean_loss(SquaredError{}, three, nine), std::invalid_argument, names_both);
  BOOST_CHECK_THROW(mean_loss(SquaredError{}, three, three, nine), std::invalid_argument);
  BOOST_CHECK_THROW(mean_loss_gradient(SquaredError{}, three, three, gradient), std::invalid_argument);
  BOOST_CHECK_THROW(mean_loss_gradient(SquaredError{}, nine, nine, three, gradient), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(empty_batch_costs_nothing) {
  const std::vector<double> none;
  BOOST_TEST(mean_loss(HuberError{}, none, none) == 0.0);
  BOOST_TEST(mean_loss(HuberError{}, none, none, none) == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
