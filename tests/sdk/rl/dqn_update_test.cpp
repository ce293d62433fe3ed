// One whole double-DQN update of a linear network, composed of the pure functions only.
#include "spar/rl/losses.hpp"
#include "spar/rl/optimise.hpp"
#include "spar/rl/targets.hpp"
#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

namespace {

using Vector = std::vector<double>;

/// Q(s) = W s + b with W: [2, 2], s: [B, 2].
Vector forward(const Vector& w, const Vector& b, const Vector& s) {
  Vector q(s.size());
  for (size_t i = 0; i < s.size() / 2; ++i)
    for (size_t a = 0; a < 2; ++a) q[2 * i + a] = w[2 * a] * s[2 * i] + w[2 * a + 1] * s[2 * i + 1] + b[a];
  return q;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dqn_update)

BOOST_AUTO_TEST_CASE(linear_double_dqn_update_gives_the_worked_numbers) {
  const Json golden_case = golden("e2e.dqn_linear");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected"), &wrong = golden_case.at("wrong");
  Vector w = numbers(in.at("W")), b = numbers(in.at("b"));
  Vector w_target = numbers(in.at("W_target")), b_target = numbers(in.at("b_target"));
  const Vector s = numbers(in.at("S")), next = numbers(in.at("S_next")), weight = numbers(in.at("is_weights"));
  const Vector action = numbers(in.at("A"));

  Vector y(2), q(2), dq(2);
  double_dqn_targets(numbers(in.at("R")), numbers(in.at("discount")), forward(w, b, next),
                     forward(w_target, b_target, next), y);
  check(y, expected.at("y"));
  const Vector all = forward(w, b, s);
  for (size_t i = 0; i < 2; ++i) q[i] = all[2 * i + static_cast<size_t>(action[i])];
  check(q, expected.at("q"));
  const double loss = mean_loss(SquaredError{}, q, y, weight);
  check(loss, expected.at("loss"));
  check_not(loss, wrong.at("F17_no_is_weight_loss"));
  check({std::abs(q[0] - y[0]), std::abs(q[1] - y[1])}, expected.at("priorities"));

  mean_loss_gradient(SquaredError{}, q, y, weight, dq);
  Vector dw(4), db(2);
  for (size_t i = 0; i < 2; ++i) {
    const size_t a = static_cast<size_t>(action[i]);
    db[a] += dq[i];
    for (size_t j = 0; j < 2; ++j) dw[2 * a + j] += dq[i] * s[2 * i + j];
  }
  check(dw, expected.at("grad_W"));
  check(db, expected.at("grad_b"));
  const double norm = std::sqrt(squared_norm(dw) + squared_norm(db));
  check(norm, expected.at("grad_norm"));
  for (Vector* g : {&dw, &db}) scale(*g, clip_scale(norm, number(in.at("max_norm"))));

  Adam::Options options;
  options.lr = number(in.at("lr"));
  options.eps = number(in.at("eps"));
  Adam adam_w(4, options), adam_b(2, options);
  adam_w.step(w, dw);
  adam_b.step(b, db);
  check(w, expected.at("W_new"));
  check(b, expected.at("b_new"));
  polyak(w_target, w, number(in.at("tau")));
  polyak(b_target, b, number(in.at("tau")));
  check(w_target, expected.at("W_target_new"));
  check(b_target, expected.at("b_target_new"));
  check_not(w_target, wrong.at("F52_polyak_before_step_W"));
}

BOOST_AUTO_TEST_SUITE_END()
