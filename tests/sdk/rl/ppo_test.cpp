#include "spar/rl/ppo.hpp"

#include "spar/rl/categorical_policy.hpp"
#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

namespace {
using Vector = std::vector<double>;
}

BOOST_AUTO_TEST_SUITE(ppo)

BOOST_AUTO_TEST_CASE(clipped_surrogate_takes_the_smaller_and_its_gradient_follows) {
  const Json golden_case = golden("ppo.clip");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  const Vector old_log_prob = numbers(in.at("old_logp")), log_prob = numbers(in.at("new_logp"));
  const Vector advantage = numbers(in.at("adv"));
  for (const auto& [name, clip] : {std::pair{"clip_0.2", 0.2}, {"clip_0.25", 0.25}}) {
    Vector gradient(4), each;
    const auto found = ppo_policy_loss(old_log_prob, log_prob, advantage, clip, gradient);
    check(found.loss, expected.at(name).at("loss"));
    check(gradient, expected.at(name).at("dloss_dnewlogp"));
    check(found.clip_fraction, expected.at(name).at("clip_fraction"));
    check(found.kl_k1, expected.at("approx_kl_k1"));
    check(found.kl, expected.at("approx_kl_k3"));
    Vector ignored(1);
    for (size_t i = 0; i < 4; ++i)
      each.push_back(
          ppo_policy_loss(View(&old_log_prob[i], 1), View(&log_prob[i], 1), View(&advantage[i], 1), clip, ignored)
              .loss);
    check(each, expected.at(name).at("per_sample"));
    check_not(found.loss, golden_case.at("wrong").at("F36_max_instead_of_min"));
    check_not(found.loss, golden_case.at("wrong").at("F36_clip_only"));
  }
}

BOOST_AUTO_TEST_CASE(entropy_bonus_lowers_the_loss_and_its_gradient_reaches_the_logits) {
  const Json golden_case = golden("e2e.ppo_logits");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  const Vector logits = numbers(in.at("logits")), action = numbers(in.at("action")), advantage = numbers(in.at("adv"));
  Vector log_p(2), log_prob(1), entropy(1), dlog_prob(1), dlogits(2);
  log_softmax(logits, 2, log_p);
  categorical_log_prob(log_p, action, log_prob);
  categorical_entropy(log_p, entropy);
  check(entropy, expected.at("entropy"));
  const auto found = ppo_policy_loss(Vector{std::log(number(in.at("old_prob")))}, log_prob, advantage, 0.25, dlog_prob);
  for (const auto& [name, weight] : {std::pair{"ent_0", 0.0}, {"ent_0.005", 0.005}, {"ent_0.01", 0.01}}) {
    check(found.loss - weight * entropy[0], expected.at(name).at("loss"));
    categorical_gradient(log_p, action, dlog_prob, -weight, dlogits);
    check(dlogits, expected.at(name).at("grad_logits"));
  }
}

BOOST_AUTO_TEST_CASE(policy_stops_before_the_step_that_would_move_it_too_far) {
  const Json golden_case = golden("ppo.kl_stop");
  const double target = number(golden_case.at("inputs").at("target_kl"));
  int steps = 0;
  for (const double kl : numbers(golden_case.at("inputs").at("kl"))) {
    if (ppo_kl_stop(kl, target)) break;
    ++steps;
  }
  check(steps, golden_case.at("expected").at("actor_steps_taken"));
  check_not(steps, golden_case.at("wrong").at("F56_check_after_step"));
  BOOST_TEST(!ppo_kl_stop(0.03, 0.02));
}

BOOST_AUTO_TEST_CASE(value_loss_takes_the_larger_error_of_the_clipped_value) {
  const Json golden_case = golden("ppo.value_clip");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const Vector old_value = numbers(in.at("v_old")), value = numbers(in.at("v_new")), returns = numbers(in.at("ret"));
  const double clip = number(in.at("clip"));
  Vector gradient(3), plain(3);
  const double loss = ppo_value_loss(value, old_value, returns, clip, gradient);
  check(loss, expected.at("max_mean"));
  check(loss / 2, expected.at("half_max_mean"));
  for (const char* fault : {"F37_min_mean", "F37_old_value_recomputed_equals_unclipped"})
    check_not(loss, wrong.at(fault));
  check_not(loss, expected.at("sb3_clipped_only_mean"));
  const Vector squares = numbers(expected.at("unclipped"));
  BOOST_TEST(same(ppo_value_loss(value, Vector{}, returns, 0, plain), (squares[0] + squares[1] + squares[2]) / 3));
  for (size_t i = 0; i < 3; ++i) BOOST_TEST(same(plain[i], 2 * (value[i] - returns[i]) / 3));
  // the first moved away from its return: its own error counts. The second moved past the clip: no gradient.
  BOOST_TEST(same(gradient, {plain[0], 0, plain[2]}), text_of(gradient));
}

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  Vector two(2), three(3);
  BOOST_CHECK_THROW(ppo_policy_loss(two, three, two, 0.2, two), std::invalid_argument);
  BOOST_CHECK_THROW(ppo_policy_loss(two, two, three, 0.2, two), std::invalid_argument);
  BOOST_CHECK_THROW(ppo_policy_loss(two, two, two, 0.2, three), std::invalid_argument);
  BOOST_CHECK_THROW(ppo_value_loss(two, three, two, 0.2, two), std::invalid_argument);
  BOOST_CHECK_THROW(ppo_value_loss(two, two, three, 0, two), std::invalid_argument);
  BOOST_CHECK_THROW(ppo_value_loss(two, two, two, 0, three), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(penalty_is_the_unclipped_surrogate_and_the_estimated_divergence) {
  const Vector old = {-0.7, -1.4, -2.3}, advantage = {1, -2, 0.5};
  Vector now = {-0.5, -1.5, -2.3}, slope(3), ignored(3);
  const double beta = 0.8;
  const auto loss = ppo_penalty_loss(old, now, advantage, beta, slope);
  const auto surrogate = ppo_policy_loss(old, now, advantage, 1e9, ignored);
  BOOST_TEST(same(loss.loss, surrogate.loss + beta * surrogate.kl));
  BOOST_TEST((same(loss.kl, surrogate.kl) && same(loss.kl_k1, surrogate.kl_k1) && loss.clip_fraction == 0));
  for (size_t i = 0; i < 3; ++i) {
    const double middle = now[i], h = 1e-5;
    now[i] = middle + h;
    const double above = ppo_penalty_loss(old, now, advantage, beta, ignored).loss;
    now[i] = middle - h;
    const double below = ppo_penalty_loss(old, now, advantage, beta, ignored).loss;
    now[i] = middle;
    BOOST_TEST(std::abs(slope[i] - (above - below) / (2 * h)) < 1e-9);
  }
  BOOST_CHECK_THROW(ppo_penalty_loss(old, now, Vector(2), beta, slope), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(weight_of_the_penalty_follows_the_target) {
  BOOST_TEST(ppo_adapted_beta(3, 0.016, 0.01) == 6);
  BOOST_TEST(ppo_adapted_beta(3, 0.006, 0.01) == 1.5);
  for (const double kl : {0.007, 0.0149}) BOOST_TEST(ppo_adapted_beta(3, kl, 0.01) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
