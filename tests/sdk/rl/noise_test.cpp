// Exploration noise, and one whole DDPG update of linear networks composed of the pure functions.
#include "spar/rl/noise.hpp"

#include "spar/rl/losses.hpp"
#include "spar/rl/optimise.hpp"
#include "spar/rl/targets.hpp"
#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

namespace {
using Vector = std::vector<double>;
}

BOOST_AUTO_TEST_SUITE(noise)

BOOST_AUTO_TEST_CASE(gaussian_noise_comes_after_the_squash) {
  const Json golden_case = golden("ddpg.noise");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  const double action = std::tanh(number(in.at("pre_tanh"))), draw = number(in.at("gaussian_draw"));
  check(action, expected.at("eval"));
  check(gaussian_noise(action, number(in.at("sigma")), 1.0, draw), expected.at("train"));
  check_not(gaussian_noise(action, number(in.at("sigma")), 1.0, draw),
            golden_case.at("wrong").at("F47_noise_before_squash"));
  check_not(action, golden_case.at("wrong").at("F48_noise_in_eval"));
  check(gaussian_noise(action - 1, number(in.at("sigma")), 1.0, draw) + 1, expected.at("train_unclipped"));
}

BOOST_AUTO_TEST_CASE(variance_of_the_gaussian_is_a_variance) {
  BOOST_TEST(same(gaussian_noise(0.1, 0.2, 4.0, 0.5), 0.1 + 0.2 * 2 * 0.5));
  BOOST_TEST(gaussian_noise(0.5f, 1.0, 1.0, -7.0) == -1.0f);
}

BOOST_AUTO_TEST_CASE(ornstein_uhlenbeck_starts_again_with_every_episode) {
  const Json golden_case = golden("ddpg.ou");
  const Json& in = golden_case.at("inputs");
  OrnsteinUhlenbeck process(1, {number(in.at("theta")), number(in.at("sigma")), 0, number(in.at("dt"))});
  const Vector normals = numbers(in.at("normals"));
  Vector found;
  for (const double n : normals) found.push_back(process.step(Vector{n})[0]);
  check(found, golden_case.at("expected").at("x"));
  OrnsteinUhlenbeck copy(1, {number(in.at("theta")), number(in.at("sigma")), 0, number(in.at("dt"))});
  copy.restore(process.value());
  check(copy.step(Vector{normals[0]}), golden_case.at("wrong").at("F49_not_reset"));
  process.reset();
  check(process.step(Vector{normals[0]}), golden_case.at("expected").at("after_reset_first"));
  check_not(process.value(), golden_case.at("wrong").at("F49_not_reset"));
  BOOST_CHECK_THROW(process.step(Vector(2)), std::invalid_argument);
  BOOST_CHECK_THROW(process.restore(Vector(2)), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(factorised_noise_makes_the_golden_layer) {
  const Json golden_case = golden("noisy.factorised");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  Vector f_in, f_out, weight, bias, y;
  for (const double x : numbers(in.at("eps_in"))) f_in.push_back(factorised_noise(x));
  for (const double x : numbers(in.at("eps_out"))) f_out.push_back(factorised_noise(x));
  check(f_in, expected.at("f_in"));
  check(f_out, expected.at("f_out"));
  const Vector mu = numbers(in.at("mu_w")), sigma = numbers(in.at("sigma_w")), x = numbers(in.at("x"));
  for (size_t i = 0; i < 4; ++i) weight.push_back(mu[i] + sigma[i] * f_out[i / 2] * f_in[i % 2]);
  for (size_t i = 0; i < 2; ++i) bias.push_back(numbers(in.at("mu_b"))[i] + numbers(in.at("sigma_b"))[i] * f_out[i]);
  for (size_t i = 0; i < 2; ++i) y.push_back(weight[2 * i] * x[0] + weight[2 * i + 1] * x[1] + bias[i]);
  check(weight, expected.at("W"));
  check(bias, expected.at("b"));
  check(y, expected.at("y"));
  check_not(y, golden_case.at("wrong").at("F30_unfactorised_without_f"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ddpg_update)

BOOST_AUTO_TEST_CASE(targets_are_those_of_the_next_observation_by_the_target_networks) {
  const Json golden_case = golden("ddpg.target");
  const Json& in = golden_case.at("inputs");
  const Vector reward = numbers(in.at("r")), terminated = numbers(in.at("terminated"));
  const Vector next = numbers(in.at("q_target_at_next"));
  Vector y;
  for (size_t i = 0; i < 2; ++i)
    y.push_back(
        bootstrap_target(reward[i], bootstrap_discount(number(in.at("gamma")), 1, terminated[i] != 0), next[i]));
  check(y, golden_case.at("expected").at("y"));
  check_not(y, golden_case.at("wrong").at("F51_target_at_obs"));
  check_not(y, golden_case.at("wrong").at("F51_online_critic"));
}

// Actor tanh(w s), critic u0 s + u1 a; gradient steps of 0.1 and targets that follow by 0.1: critic, actor, targets.
BOOST_AUTO_TEST_CASE(linear_update_gives_the_worked_numbers) {
  const Json golden_case = golden("e2e.ddpg_linear");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  Vector w = numbers(in.at("w")), u = numbers(in.at("u"));
  Vector w_target = numbers(in.at("w_target")), u_target = numbers(in.at("u_target"));
  const double s = number(in.at("s")), a = number(in.at("a")), s_next = number(in.at("s_next"));
  const double next_value = u_target[0] * s_next + u_target[1] * std::tanh(w_target[0] * s_next);
  const Vector y = {
      bootstrap_target(number(in.at("r")), bootstrap_discount(number(in.at("gamma")), 1, false), next_value)};
  check(y, expected.at("y"));
  check_not(y, wrong.at("F51_obs_instead_of_next_y"));
  const Vector q = {u[0] * s + u[1] * a};
  check(q, expected.at("q"));
  check(mean_loss(SquaredError{}, q, y), expected.at("critic_loss"));
  Vector dq(1);
  mean_loss_gradient(SquaredError{}, q, y, dq);
  u = {u[0] - 0.1 * dq[0] * s, u[1] - 0.1 * dq[0] * a};
  check(u, expected.at("u_new"));
  check_not(u[1], wrong.at("F50_actor_loss_updates_critic_u1"));
  const double action = std::tanh(w[0] * s), daction = -u[1];  // of -Q(s, mu(s)), by the critic after its step
  w[0] -= 0.1 * daction * (1 - action * action) * s;
  check(w, expected.at("w_new"));
  check_not(w, wrong.at("F50_actor_uses_old_critic_w"));
  polyak(w_target, w, 0.1);
  polyak(u_target, u, 0.1);
  check(w_target, expected.at("w_target_new"));
  check(u_target, expected.at("u_target_new"));
}

BOOST_AUTO_TEST_SUITE_END()
