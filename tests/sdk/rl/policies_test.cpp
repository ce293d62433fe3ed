// Distributions over actions: categorical, Gaussian, tanh-Gaussian.
#include "spar/rl/action.hpp"
#include "spar/rl/categorical_policy.hpp"
#include "spar/rl/tanh_gaussian.hpp"
#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

namespace {
using Vector = std::vector<double>;
}

BOOST_AUTO_TEST_SUITE(categorical_policy)

BOOST_AUTO_TEST_CASE(log_probabilities_and_entropy_come_from_logits) {
  const Json golden_case = golden("dist.categorical");
  const Vector logits = numbers(golden_case.at("inputs").at("logits"));
  Vector log_p(3), taken(1), entropy(1);
  log_softmax(logits, 3, log_p);
  check(log_p, golden_case.at("expected").at("logp"));
  for (size_t a = 0; a < 3; ++a) {
    categorical_log_prob(log_p, std::vector<int64_t>{static_cast<int64_t>(a)}, taken);
    BOOST_TEST(taken[0] == log_p[a]);
  }
  categorical_entropy(log_p, entropy);
  check(entropy, golden_case.at("expected").at("entropy"));
}

BOOST_AUTO_TEST_CASE(masked_actions_have_probability_and_gradient_zero) {
  std::vector<float> logits = {1, 50, 2, 0.5f, 0.1f, -3}, free = {1, 2};
  const std::vector<uint8_t> mask = {1, 0, 1, 1, 1, 1};
  mask_logits(mask, 3, logits);
  std::vector<float> log_p(6), log_free(2), entropy(2), free_entropy(1), gradient(6), kl(2), free_gradient(2);
  log_softmax(logits, 3, log_p);
  log_softmax(free, 2, log_free);
  BOOST_TEST(std::exp(log_p[1]) == 0.0f);
  BOOST_TEST(log_p[0] == log_free[0]);
  BOOST_TEST(log_p[2] == log_free[1]);
  categorical_entropy(log_p, entropy);
  categorical_entropy(log_free, free_entropy);
  BOOST_TEST(entropy[0] == free_entropy[0]);
  categorical_kl(log_p, log_p, kl);
  BOOST_TEST(kl == (std::vector<float>{0, 0}), boost::test_tools::per_element());
  categorical_gradient(log_p, std::vector<int>{2, 0}, std::vector<float>{-0.7f, 0.3f}, 0.25, gradient);
  categorical_gradient(log_free, std::vector<int>{1}, std::vector<float>{-0.7f}, 0.25, free_gradient);
  BOOST_TEST(gradient[1] == 0.0f);
  BOOST_TEST(gradient[0] == free_gradient[0]);
  BOOST_TEST(gradient[2] == free_gradient[1]);
  for (double u = 0; u < 1; u += 0.01) BOOST_TEST(categorical_sample(log_p.data(), 3, u) != 1u);
}

BOOST_AUTO_TEST_CASE(row_without_an_allowed_action_is_refused) {
  Vector logits(4);
  BOOST_CHECK_EXCEPTION(mask_logits(std::vector<int>{1, 0, 0, 0}, 2, logits), std::invalid_argument,
                        [](const auto& error) {
                          return std::string(error.what()) ==
                                 "row 1 of the action mask allows none of 2 actions: an agent needs at least one";
                        });
}

BOOST_AUTO_TEST_CASE(uniform_number_picks_by_cumulated_probability) {
  const Vector log_p = {std::log(0.25), std::log(0.5), -INFINITY, std::log(0.25), -INFINITY};
  for (const auto& [u, action] : {std::pair{0.0, 0u}, {0.2499, 0u}, {0.25, 1u}, {0.7499, 1u}, {0.75, 3u}, {1.0, 3u}})
    BOOST_TEST(categorical_sample(log_p.data(), log_p.size(), u) == action, u);
  const Vector impossible_first = {-INFINITY, 0};
  BOOST_TEST(categorical_sample(impossible_first.data(), 2, 0.0) == 1u);
}

BOOST_AUTO_TEST_CASE(divergence_is_zero_between_equals_and_exact_between_others) {
  const Vector p = {std::log(0.5), std::log(0.5)}, q = {std::log(0.25), std::log(0.75)};
  Vector kl(1);
  categorical_kl(p, q, kl);
  BOOST_TEST(std::abs(kl[0] - (0.5 * std::log(2) + 0.5 * std::log(2.0 / 3))) < 1e-15);
  categorical_kl(p, p, kl);
  BOOST_TEST(kl[0] == 0.0);
}

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  Vector two(2), three(3), four(4), five(5);
  const std::vector<int> action(2);
  BOOST_CHECK_THROW(categorical_log_prob(five, action, two), std::invalid_argument);
  BOOST_CHECK_THROW(categorical_log_prob(four, action, three), std::invalid_argument);
  BOOST_CHECK_THROW(categorical_entropy(five, two), std::invalid_argument);
  BOOST_CHECK_THROW(categorical_kl(four, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(categorical_gradient(four, action, three, 0, four), std::invalid_argument);
  BOOST_CHECK_THROW(categorical_gradient(four, action, two, 0, five), std::invalid_argument);
  BOOST_CHECK_THROW(mask_logits(three, 2, four), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gaussian_policy)

BOOST_AUTO_TEST_CASE(dimensions_are_summed) {
  const Json golden_case = golden("dist.diag_gaussian");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const Vector mean = numbers(in.at("mu")), log_std = numbers(in.at("log_std")), action = numbers(in.at("action"));
  Vector log_prob(1), each(2);
  gaussian_log_prob(mean, log_std, action, log_prob);
  check(log_prob, expected.at("logp"));
  check_not(log_prob, wrong.at("F38_mean_logp"));
  gaussian_log_prob(mean, log_std, action, each);  // two rows of one dimension, each with a log_std of its own
  check(each, expected.at("per_dim"));
  check(gaussian_entropy(log_std.data(), 2), expected.at("entropy"));
  check_not(gaussian_entropy(log_std.data(), 2), wrong.at("F38_mean_entropy"));
}

BOOST_AUTO_TEST_CASE(log_prob_is_that_of_the_unclipped_action) {
  const Json golden_case = golden("ppo.stored_action");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const double mean = number(in.at("mu")), log_std = std::log(number(in.at("std")));
  const double noise = (number(in.at("sampled")) - mean) / number(in.at("std"));
  Vector action(1), log_prob(1), clipped(1);
  gaussian_sample(Vector{mean}, Vector{log_std}, Vector{noise}, action);
  check(action, expected.at("stored_action"));
  gaussian_log_prob(Vector{mean}, Vector{log_std}, action, log_prob);
  check(log_prob, expected.at("logp"));
  check(clamp_action(action[0]), expected.at("env_action"));
  gaussian_log_prob(Vector{mean}, Vector{log_std}, Vector{clamp_action(action[0])}, clipped);
  check(clipped, wrong.at("F39_logp_of_clipped"));
  check(std::exp(clipped[0] - log_prob[0]), wrong.at("F39_ratio_error"));
  check_not(log_prob, wrong.at("F39_logp_of_clipped"));
}

BOOST_AUTO_TEST_CASE(shared_deviation_is_that_of_each_row) {
  const Vector mean = {0.1, 0.2, 0.3, 0.4}, shared = {-0.5, 0.3}, own = {-0.5, 0.3, -0.5, 0.3};
  const Vector action = {1, -1, 0.5, 2}, slope = {0.7, -0.4};
  Vector a(2), b(2), dmean(4), dmean_own(4), dshared(2), down(4);
  gaussian_log_prob(mean, shared, action, a);
  gaussian_log_prob(mean, own, action, b);
  BOOST_TEST(a == b, boost::test_tools::per_element());
  gaussian_gradient(mean, shared, action, slope, 0.25, dmean, dshared);
  gaussian_gradient(mean, own, action, slope, 0.25, dmean_own, down);
  BOOST_TEST(dmean == dmean_own, boost::test_tools::per_element());
  for (size_t j = 0; j < 2; ++j) BOOST_TEST(std::abs(dshared[j] - down[j] - down[2 + j]) < 1e-15);
}

BOOST_AUTO_TEST_CASE(divergence_is_zero_between_equals_and_exact_between_others) {
  const Vector mean = {0.5, -1, 2}, log_std = {-0.5, 0.2, 0};
  Vector kl(1);
  gaussian_kl(mean, log_std, mean, log_std, kl);
  BOOST_TEST(kl[0] == 0.0);
  gaussian_kl(Vector{0}, Vector{0}, Vector{1}, Vector{std::log(2.0)}, kl);
  BOOST_TEST(std::abs(kl[0] - (std::log(2.0) + 2.0 / 8 - 0.5)) < 1e-15);
}

BOOST_AUTO_TEST_CASE(clamped_deviation_passes_no_gradient) {
  const std::vector<float> raw = {-30, -20, 0, 2, 2.5f};
  std::vector<float> log_std(5), gradient(5, 1.0f);
  clamp_log_std(raw, -20, 2, log_std);
  clamp_log_std_gradient(raw, -20, 2, gradient);
  BOOST_TEST(log_std == (std::vector<float>{-20, -20, 0, 2, 2}), boost::test_tools::per_element());
  BOOST_TEST(gradient == (std::vector<float>{0, 1, 1, 1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  Vector one(1), two(2), three(3), four(4), five(5);
  BOOST_CHECK_THROW(gaussian_log_prob(five, five, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(gaussian_log_prob(four, three, four, two), std::invalid_argument);
  BOOST_CHECK_THROW(gaussian_log_prob(four, two, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(gaussian_sample(four, three, four, four), std::invalid_argument);
  BOOST_CHECK_THROW(gaussian_sample(four, two, three, four), std::invalid_argument);
  BOOST_CHECK_THROW(gaussian_gradient(four, two, four, two, 0, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(gaussian_gradient(four, two, four, two, 0, four, four), std::invalid_argument);
  BOOST_CHECK_THROW(gaussian_kl(four, two, five, two, two), std::invalid_argument);
  BOOST_CHECK_THROW(gaussian_kl_gradient(four, two, four, two, two, four, one), std::invalid_argument);
  BOOST_CHECK_THROW(clamp_log_std(two, 0, 1, three), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tanh_gaussian_policy)

BOOST_AUTO_TEST_CASE(density_is_exact_where_tanh_saturates) {
  const Json golden_case = golden("sac.tanh_logp");
  for (const Json& point : golden_case.at("expected").at("points").as_array()) {
    const double u = number(point.at("u"));
    const Vector mean = {number(point.at("mu"))}, log_std = {std::log(number(point.at("std")))};
    Vector gaussian(1), log_prob(1), action(1), sampled(1);
    gaussian_log_prob(mean, log_std, Vector{u}, gaussian);
    tanh_gaussian_log_prob(mean, log_std, Vector{u}, log_prob);
    check(gaussian, point.at("gaussian_logp"));
    check(log_prob, point.at("logp"));
    tanh_gaussian_sample(mean, log_std, Vector{(u - mean[0]) / std::exp(log_std[0])}, action, sampled);
    check(action, point.at("action"));
    check(sampled, point.at("logp"));
    for (const char* fault :
         {"wrong_F40_eps_form_float32", "wrong_F40_no_eps_float32", "wrong_F41_no_correction", "wrong_F41_sign"}) {
      const Json& wrong = point.at(fault);  // where u is small, some faults do not show
      if (wrong.is_number() && !same(number(wrong), number(point.at("logp")))) check_not(log_prob, wrong);
    }

    std::vector<float> in_float(1), action_float(1);
    tanh_gaussian_sample(
        std::vector<float>{static_cast<float>(mean[0])}, std::vector<float>{static_cast<float>(log_std[0])},
        std::vector<float>{static_cast<float>((u - mean[0]) / std::exp(log_std[0]))}, action_float, in_float);
    BOOST_TEST(std::abs(static_cast<double>(in_float[0]) - number(point.at("logp"))) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(box_changes_the_units_of_the_density_and_nothing_else) {
  const Json golden_case = golden("sac.scaled_action");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  const double low = number(in.at("low")), high = number(in.at("high")), u = number(in.at("u"));
  Vector log_prob(1);
  tanh_gaussian_log_prob(Vector{number(in.at("mu"))}, Vector{std::log(number(in.at("std")))}, Vector{u}, log_prob);
  check(to_box(std::tanh(u), low, high), expected.at("env_action"));
  check(log_prob, expected.at("logp_squashed_units"));
  check(log_prob_in_box(log_prob[0], Vector{low}, Vector{high}), expected.at("logp_env_units"));
  for (const char* fault : {"F42_no_bias", "F42_act_limit_high", "F42_clamp_only"})
    check_not(to_box(std::tanh(u), low, high), golden_case.at("wrong").at(fault));
}

BOOST_AUTO_TEST_CASE(gradient_passes_through_the_sample) {
  const Json golden_case = golden("sac.actor_grad");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const Vector mean = {number(in.at("mu"))}, log_std = {number(in.at("log_std"))}, noise = {number(in.at("eps"))};
  const double alpha = number(in.at("alpha"));
  Vector action(1), log_prob(1), dmean(1), dlog_std(1);
  tanh_gaussian_sample(mean, log_std, noise, action, log_prob);
  check(std::atanh(action[0]), expected.at("u"));
  check(action, expected.at("a"));
  check(log_prob, expected.at("logp"));
  check(alpha * log_prob[0] + (action[0] - 0.3) * (action[0] - 0.3), expected.at("loss"));
  tanh_gaussian_gradient(log_std, noise, action, Vector{2 * (action[0] - 0.3)}, Vector{alpha}, dmean, dlog_std);
  check(dmean, expected.at("dL_dmu"));
  check(dlog_std, expected.at("dL_dlogstd"));
  check_not(dmean, wrong.at("F41_no_tanh_term_dmu"));
  check_not(dmean, wrong.at("F57_sample_detached_dmu"));
}

BOOST_AUTO_TEST_CASE(extreme_values_stay_finite) {
  for (const float u : {-100.0f, -20.0f, 20.0f, 100.0f}) {
    std::vector<float> action(1), log_prob(1), dmean(1), dlog_std(1);
    tanh_gaussian_sample(std::vector<float>{u}, std::vector<float>{-20}, std::vector<float>{1}, action, log_prob);
    tanh_gaussian_gradient(std::vector<float>{-20}, std::vector<float>{1}, action, std::vector<float>{1},
                           std::vector<float>{1}, dmean, dlog_std);
    BOOST_TEST((std::isfinite(log_prob[0]) && std::isfinite(dmean[0]) && std::isfinite(dlog_std[0])));
    BOOST_TEST(std::abs(std::abs(action[0]) - 1) < 1e-6f);
  }
}

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  Vector two(2), three(3), four(4), five(5);
  BOOST_CHECK_THROW(tanh_gaussian_log_prob(four, four, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(tanh_gaussian_sample(four, four, five, four, two), std::invalid_argument);
  BOOST_CHECK_THROW(tanh_gaussian_sample(four, four, four, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(tanh_gaussian_gradient(two, four, four, four, two, four, four), std::invalid_argument);
  BOOST_CHECK_THROW(tanh_gaussian_gradient(four, four, four, four, two, four, two), std::invalid_argument);
  BOOST_CHECK_THROW(log_prob_in_box(0, two, three), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
