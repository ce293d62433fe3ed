#include "spar/rl/sac.hpp"

#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

namespace {
using Vector = std::vector<double>;
}

BOOST_AUTO_TEST_SUITE(sac)

BOOST_AUTO_TEST_CASE(targets_are_soft_and_termination_takes_the_entropy_away_too) {
  const Json golden_case = golden("sac.target");
  const Json& in = golden_case.at("inputs");
  Vector q = numbers(in.at("q1")), discount, target(3);
  for (const double x : numbers(in.at("q2"))) q.push_back(x);
  for (const double t : numbers(in.at("terminated"))) discount.push_back(number(in.at("gamma")) * (1 - t));
  sac_targets(numbers(in.at("r")), discount, q, numbers(in.at("next_logp")), number(in.at("alpha")), target);
  check(target, golden_case.at("expected").at("y"));
  for (const char* fault : {"F43_entropy_outside_mask", "F43_no_entropy", "F44_max", "F43_plus_sign"})
    check_not(target, golden_case.at("wrong").at(fault));
}

BOOST_AUTO_TEST_CASE(temperature_falls_while_the_entropy_is_above_its_target) {
  const Json golden_case = golden("sac.alpha");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const double log_alpha = number(in.at("log_alpha"));
  const Vector log_prob = numbers(in.at("logp")), min_q = numbers(in.at("min_q"));
  check(-(log_prob[0] + log_prob[1]) / 2, expected.at("entropy_estimate"));
  const auto found = sac_alpha_loss(log_alpha, log_prob, number(in.at("target_entropy")));
  check(found.loss, expected.at("J_log_form"));
  check(found.dlog_alpha, expected.at("grad_log_form"));
  check(std::exp(log_alpha) * found.dlog_alpha, expected.at("grad_alpha_form"));
  check_not(found.dlog_alpha, wrong.at("F45_no_target_entropy_grad"));
  check_not(found.dlog_alpha, wrong.at("F45_target_plus_dim_grad_log_form"));
  const double stepped = std::exp(log_alpha - 0.1 * found.dlog_alpha);
  check(stepped, expected.at("sgd_step_lr_0p1_log_form_alpha"));
  check_not(stepped, wrong.at("F45_sign_flipped_alpha"));
  BOOST_TEST(stepped < std::exp(log_alpha));

  Vector dq(2);
  check(sac_actor_loss(min_q, log_prob, std::exp(log_alpha), dq), expected.at("actor_loss"));
}

BOOST_AUTO_TEST_CASE(only_the_smallest_critic_of_a_row_moves_the_actor) {
  const Vector q = {1, 5, 3, 2, 4, 3}, log_prob = {0.5, -1, 2};  // two critics, three rows
  Vector dq(6);
  const double loss = sac_actor_loss(q, log_prob, 0.2, dq);
  BOOST_TEST(same(loss, (0.2 * 1.5 - (1 + 4 + 3)) / 3));
  BOOST_TEST(same(dq, {-1.0 / 3, 0, -1.0 / 3, 0, -1.0 / 3, 0}), text_of(dq));
}

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  Vector two(2), three(3), five(5), four(4);
  BOOST_CHECK_THROW(sac_targets(two, three, four, two, 0.2, two), std::invalid_argument);
  BOOST_CHECK_THROW(sac_targets(two, two, five, two, 0.2, two), std::invalid_argument);
  BOOST_CHECK_THROW(sac_targets(two, two, four, three, 0.2, two), std::invalid_argument);
  BOOST_CHECK_THROW(sac_targets(two, two, four, two, 0.2, three), std::invalid_argument);
  BOOST_CHECK_THROW(sac_actor_loss(five, two, 0.2, five), std::invalid_argument);
  BOOST_CHECK_THROW(sac_actor_loss(four, two, 0.2, five), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
