#include "spar/rl/categorical.hpp"

#include "spar/rl/advantages.hpp"
#include "spar/rl/dueling.hpp"
#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

namespace {

using Vector = std::vector<double>;

Vector probabilities(const Vector& logits) {
  Vector p(logits.size());
  softmax(logits, logits.size(), p);
  return p;
}

double sum_of(const Vector& p) { return std::accumulate(p.begin(), p.end(), 0.0); }

/// One row.
struct Projected {
  Vector m;
  size_t clipped;
  double mean;
};
Projected projected(const Support& z, double reward, double discount, const Vector& p) {
  Projected out{Vector(z.size()), 0, 0};
  out.clipped = project(z, Vector{reward}, Vector{discount}, p, out.m);
  Vector mean(1);
  expectation(z, out.m, mean);
  out.mean = mean[0];
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(categorical)

BOOST_AUTO_TEST_CASE(projection_keeps_all_mass_where_targets_meet_atoms_and_where_they_do_not) {
  const Json golden_case = golden("c51.projection");
  const Vector p = numbers(golden_case.at("inputs").at("p"));
  const Support z(-2, 2, 5);
  for (size_t i = 0; i < 5; ++i) BOOST_TEST(z[i] == numbers(golden_case.at("inputs").at("z"))[i]);
  for (const auto& [name, in] : golden_case.at("inputs").at("cases").as_object()) {
    BOOST_TEST_CONTEXT(name) {
      const Projected found = projected(z, number(in.at("R")), number(in.at("discount")), p);
      const Json& expected = golden_case.at("expected").at(name);
      check(found.m, expected.at("m"));
      check(sum_of(found.m), expected.at("sum"));
      check(found.mean, expected.at("mean"));
      const auto* faulty = golden_case.at("wrong").as_object().if_contains("F20_no_integer_fix_" + std::string(name));
      if (faulty) check_not(found.m, faulty->at("m"));
      if (name.front() == 'h') check_not(found.m, golden_case.at("wrong").at("F23_gamma_not_gamma_n_h"));
    }
  }
}

BOOST_AUTO_TEST_CASE(projection_keeps_the_mean_inside_the_support) {
  for (const char* name : {"c51.projection_N21", "c51.projection_N51"}) {
    const Json golden_case = golden(name);
    const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
    const Support z(number(in.at("v_min")), number(in.at("v_max")), in.at("N").to_number<size_t>());
    Vector logits, before(1);
    for (size_t i = 0; i < z.size(); ++i) logits.push_back(std::cos(static_cast<double>(i)));
    const Vector p = probabilities(logits);
    expectation(z, p, before);
    const Projected found = projected(z, number(in.at("R")), number(in.at("discount")), p);
    check(before[0], expected.at("mean_before"));
    check(found.m, expected.at("m"));
    check(found.mean, expected.at("mean_after"));
    check(found.mean, expected.at("mean_law"));
    BOOST_TEST(found.clipped == 0u);
  }
}

BOOST_AUTO_TEST_CASE(last_atom_is_v_max_and_its_place_the_last_index) {
  const Json golden_case = golden("c51.delta_float32");
  const Json &in = golden_case.at("inputs"), &wrong = golden_case.at("wrong");
  const Support z(number(in.at("v_min")), number(in.at("v_max")), in.at("N").to_number<size_t>());
  check(static_cast<double>(static_cast<float>(z.delta())), golden_case.at("expected").at("delta"));
  check(z.place(z.v_max()), golden_case.at("expected").at("b_at_vmax"));
  check_not(z.delta(), wrong.at("F21_delta"));
  check_not(z.place(z.v_max()), wrong.at("F21_b_at_vmax"));
  for (const size_t atoms : {2u, 3u, 21u, 51u, 101u, 601u}) {
    const Support any(-1.7, 3.1, atoms);
    BOOST_TEST(any[atoms - 1] == 3.1);
    BOOST_TEST(any.place(3.1) <= static_cast<double>(atoms - 1));
    BOOST_TEST(any.place(1e30) == static_cast<double>(atoms - 1));
    BOOST_TEST(any.place(-1e30) == 0.0);
    BOOST_TEST(std::abs(sum_of(projected(any, 0, 1, Vector(atoms, 1.0 / static_cast<double>(atoms))).m) - 1) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(corridor_has_its_exact_distributions) {
  const Json golden_case = golden("c51.chain_fixpoint");
  const double gamma = number(golden_case.at("inputs").at("gamma"));
  const Support z(-10, 10, golden_case.at("inputs").at("N").to_number<size_t>());
  Projected value = projected(z, 1, 0, Vector(21, 1.0 / 21));  // the step into the goal terminates
  for (int distance = 0; distance < 4; ++distance) {
    const Json& expected = golden_case.at("expected").at("dist_" + std::to_string(distance));
    check(value.m[10], expected.at("mass_at_0"));
    check(value.m[11], expected.at("mass_at_1"));
    check(value.mean, expected.at("mean"));
    value = projected(z, 0, gamma, value.m);
  }
}

BOOST_AUTO_TEST_CASE(targets_that_the_support_cannot_hold_are_counted) {
  const Json golden_case = golden("c51.support_saturation");
  const Json& expected = golden_case.at("expected");
  const Support z(number(golden_case.at("inputs").at("v_min")), number(golden_case.at("inputs").at("v_max")), 51);
  // CartPole: reward 1 for 500 steps.
  const Vector reward(500, 1.0), zero(500);
  Vector terminated(500), returns(500);
  terminated.back() = 1;
  discounted_returns(reward, terminated, terminated, zero, 0.99, returns);
  check(returns[0], expected.at("cartpole_g099_V_500_left"));
  Projected value = projected(z, 1, 0, Vector(51, 1.0 / 51));
  int held = 1;
  for (; value.clipped == 0; ++held) value = projected(z, 1, 0.99, value.m);
  BOOST_TEST(std::abs(held - number(expected.at("cartpole_g099_steps_until_saturation"))) < 2);
  for (int i = 0; i < 500; ++i) value = projected(z, 1, 0.99, value.m);
  BOOST_TEST(std::abs(value.mean - 10) < 1e-9);  // all actions look alike
  BOOST_TEST(projected(z, 1, 0.9, value.m).clipped == 0u);
  check(projected(z, 1, 0.9, value.m).mean, expected.at("cartpole_g09_V_max"));
  // Pendulum: a step costs up to 16.3.
  const double worst = number(expected.at("pendulum_worst_step"));
  const double lowest = number(expected.at("pendulum_g099_V_min"));
  check(worst / (1 - 0.99), expected.at("pendulum_g099_V_min"));
  Vector p(51);
  p[0] = 1;  // E[Z] = -10
  BOOST_TEST(projected(z, worst, 0.99, p).clipped == 1u);
  BOOST_TEST(projected(z, worst * number(expected.at("pendulum_reward_scale_to_fit_10")), 0.99, p).clipped == 0u);
  BOOST_TEST(std::abs(lowest * number(expected.at("pendulum_reward_scale_to_fit_10")) + 10) < 1e-6);
}

BOOST_AUTO_TEST_CASE(float_batch_is_projected_row_by_row) {
  const Support z(-10, 10, 21);
  std::vector<float> reward = {0.5f, 30.0f, -1.0f}, discount = {0.9f, 0.9f, 0.0f}, p(63, 1.0f / 21), m(63);
  BOOST_TEST(project(z, reward, discount, p, m) == 1u);
  for (size_t i = 0; i < 3; ++i) BOOST_TEST(std::abs(std::accumulate(&m[i * 21], &m[i * 21] + 21, 0.0f) - 1) < 1e-6f);
  BOOST_TEST(std::abs(m[21 + 20] - 1) < 1e-6f);
  BOOST_TEST(std::abs(m[42 + 9] - 1) < 1e-6f);
}

BOOST_AUTO_TEST_CASE(cross_entropy_of_a_distribution_and_its_gradient) {
  const Json golden_case = golden("c51.cross_entropy");
  const Json &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  const Vector logits = numbers(golden_case.at("inputs").at("logits")), m = numbers(golden_case.at("inputs").at("m"));
  Vector loss(1), again(1), gradient(5), q(1);
  cross_entropy(m, logits, loss);
  cross_entropy_gradient(m, logits, Vector{1}, again, gradient);
  check(loss, expected.at("loss"));
  check(again, expected.at("loss"));
  check(gradient, expected.at("grad"));
  check_not(loss, wrong.at("F24_bce_mean"));
  double negative_entropy = 0;
  for (const double x : m) negative_entropy += x * std::log(x);
  check(loss[0] + negative_entropy, expected.at("kl"));
  expectation(Support(-2, 2, 5), probabilities(logits), q);
  check(q, expected.at("q"));
  check_not(q, wrong.at("F24_q_from_logits"));
  check_not(q, wrong.at("F24_mean_of_product"));
}

BOOST_AUTO_TEST_CASE(weights_and_the_batch_scale_the_gradient_but_not_the_losses) {
  const Vector logits = {0.2, -0.1, 0.4, 0.2, -0.1, 0.4}, m = {0.5, 0.25, 0.25, 0.5, 0.25, 0.25};
  Vector one_loss(1), one(3), loss(2), gradient(6);
  cross_entropy_gradient(View(m.data(), 3), View(logits.data(), 3), Vector{1}, one_loss, one);
  cross_entropy_gradient(m, logits, Vector{1, 0.5}, loss, gradient);
  for (size_t j = 0; j < 3; ++j) {
    BOOST_TEST(std::abs(gradient[j] - one[j] / 2) < 1e-15);
    BOOST_TEST(std::abs(gradient[3 + j] - one[j] / 4) < 1e-15);
  }
  BOOST_TEST(loss[0] == one_loss[0]);
  BOOST_TEST(loss[1] == one_loss[0]);
}

BOOST_AUTO_TEST_CASE(actor_descends_the_negative_expectation) {
  const Json golden_case = golden("d4pg.actor_value");
  const Vector logits = numbers(golden_case.at("inputs").at("logits"));
  Vector gradient(5);
  const double loss = negative_expectation(Support(-2, 2, 5), logits, gradient);
  check(-loss, golden_case.at("expected").at("E"));
  check(loss, golden_case.at("expected").at("loss"));
  check(gradient, golden_case.at("expected").at("dloss_dlogits"));
  check_not(loss, golden_case.at("wrong").at("F24_uses_logits_mean"));
}

BOOST_AUTO_TEST_CASE(advantages_of_distributions_are_centred_for_each_atom) {
  const Json golden_case = golden("dueling.distributional");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  Vector logits(6), p(6), q(2);
  dueling_atoms(numbers(in.at("V")), numbers(in.at("A")), 3, logits);
  softmax(logits, 3, p);
  expectation(Support(-1, 1, 3), p, q);
  check(logits, expected.at("logits"));
  check(p, expected.at("probs"));
  check(q, expected.at("Q"));
  check_not(q, golden_case.at("wrong").at("F25_mean_over_atoms_Q"));
}

BOOST_AUTO_TEST_CASE(softmax_of_large_logits_does_not_overflow) {
  std::vector<float> p(3);
  softmax(std::vector<float>{1000, 1000, -1000}, 3, p);
  BOOST_TEST(p == (std::vector<float>{0.5f, 0.5f, 0.0f}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(supports_that_are_none_are_refused_with_what_was_found) {
  BOOST_CHECK_EXCEPTION(Support(-10, 10, 1), std::invalid_argument, [](const auto& error) {
    return std::string(error.what()) == "a support needs at least 2 atoms, found 1: raise num_atoms";
  });
  BOOST_CHECK_THROW(Support(10, -10, 21), std::invalid_argument);
  BOOST_CHECK_THROW(Support(1, 1, 21), std::invalid_argument);
  BOOST_CHECK_THROW(Support(0, INFINITY, 21), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  const Support z(-1, 1, 3);
  Vector one(1), two(2), three(3), six(6), five(5);
  BOOST_CHECK_THROW(project(z, two, one, six, six), std::invalid_argument);
  BOOST_CHECK_THROW(project(z, two, two, five, six), std::invalid_argument);
  BOOST_CHECK_THROW(project(z, two, two, six, five), std::invalid_argument);
  BOOST_CHECK_THROW(expectation(z, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(expectation(z, six, three), std::invalid_argument);
  BOOST_CHECK_THROW(cross_entropy(six, five, two), std::invalid_argument);
  BOOST_CHECK_THROW(cross_entropy(five, six, two), std::invalid_argument);
  BOOST_CHECK_THROW(cross_entropy_gradient(six, six, three, two, six), std::invalid_argument);
  BOOST_CHECK_THROW(cross_entropy_gradient(six, six, two, two, five), std::invalid_argument);
  BOOST_CHECK_THROW(negative_expectation(z, five, five), std::invalid_argument);
  BOOST_CHECK_THROW(dueling_atoms(three, five, 3, five), std::invalid_argument);
  BOOST_CHECK_THROW(dueling_atoms(five, six, 3, six), std::invalid_argument);
  BOOST_CHECK_THROW(dueling_atoms_gradient(six, 3, three, five), std::invalid_argument);
  BOOST_CHECK_THROW(log_softmax(five, 3, five), std::invalid_argument);
  BOOST_CHECK_THROW(softmax(six, 0, six), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
