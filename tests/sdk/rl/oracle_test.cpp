// LibTorch's autograd, in double precision, as the oracle of the gradients of the pure functions.
#include <torch/types.h>

#include <boost/test/unit_test.hpp>

#include "spar/rl/categorical.hpp"
#include "spar/rl/categorical_policy.hpp"
#include "spar/rl/dueling.hpp"
#include "spar/rl/ppo.hpp"
#include "spar/rl/sac.hpp"
#include "spar/rl/tanh_gaussian.hpp"

BOOST_AUTO_TEST_SUITE(rl_gradients)

using namespace spar::rl;

namespace {

using Vector = std::vector<double>;
constexpr double kHalfLog2Pi = 0.91893853320467274178;

Vector draws(size_t n, uint64_t seed, double scale = 1.0) {
  torch::manual_seed(seed);
  const torch::Tensor t = scale * torch::randn({static_cast<int64_t>(n)}, torch::kFloat64);
  return {t.data_ptr<double>(), t.data_ptr<double>() + n};
}
torch::Tensor tensor_of(const Vector& v, std::vector<int64_t> shape) {
  return torch::tensor(at::ArrayRef<double>(v), torch::kFloat64).reshape(shape);
}
torch::Tensor leaf(const Vector& v, std::vector<int64_t> shape) {
  return tensor_of(v, std::move(shape)).requires_grad_(true);
}

/// Largest difference, 1e-11 allowed.
void check(const Vector& found, const torch::Tensor& expected) {
  const torch::Tensor flat = expected.detach().reshape({-1});
  BOOST_REQUIRE_EQUAL(static_cast<int64_t>(found.size()), flat.numel());
  BOOST_TEST((tensor_of(found, {-1}) - flat).abs().max().item<double>() < 1e-11);
}
void check(double found, const torch::Tensor& expected) { check(Vector{found}, expected); }

torch::Tensor gaussian_log_prob_of(const torch::Tensor& mean, const torch::Tensor& log_std, const torch::Tensor& x) {
  return (-0.5 * ((x - mean) / log_std.exp()).pow(2) - log_std - kHalfLog2Pi).sum(1);
}

constexpr int64_t kRows = 5, kAtoms = 7, kActions = 3;

}  // namespace

BOOST_AUTO_TEST_CASE(weighted_cross_entropy) {
  const Vector logits = draws(kRows * kAtoms, 1, 2.0), weight = {1, 0.5, 0.25, 0.8, 0.1};
  const torch::Tensor m = torch::softmax(tensor_of(draws(kRows * kAtoms, 2), {kRows, kAtoms}), 1);
  const Vector target(m.data_ptr<double>(), m.data_ptr<double>() + m.numel());
  const torch::Tensor x = leaf(logits, {kRows, kAtoms});
  const torch::Tensor loss = -(m * torch::log_softmax(x, 1)).sum(1);
  (loss * tensor_of(weight, {kRows})).mean().backward();
  Vector losses(kRows), gradient(logits.size());
  cross_entropy_gradient(target, logits, weight, losses, gradient);
  check(losses, loss);
  check(gradient, x.grad());
}

BOOST_AUTO_TEST_CASE(negative_expectation_through_the_dueling_atoms) {
  const Support z(-10, 10, kAtoms);
  const Vector value = draws(kRows * kAtoms, 3), advantage = draws(kRows * kActions * kAtoms, 4);
  const torch::Tensor v = leaf(value, {kRows, 1, kAtoms}), a = leaf(advantage, {kRows, kActions, kAtoms});
  const torch::Tensor p = torch::softmax(v + a - a.mean(1, true), 2);
  const torch::Tensor loss = -(p * torch::linspace(-10, 10, kAtoms, torch::kFloat64)).sum(2).mean();
  loss.backward();
  Vector logits(advantage.size()), dlogits(advantage.size()), dvalue(value.size()), dadvantage(advantage.size());
  dueling_atoms(value, advantage, kAtoms, logits);
  check(negative_expectation(z, logits, dlogits), loss);
  dueling_atoms_gradient(dlogits, kAtoms, dvalue, dadvantage);
  check(dvalue, v.grad());
  check(dadvantage, a.grad());
}

BOOST_AUTO_TEST_CASE(categorical_log_prob_entropy_and_divergence) {
  const Vector logits = draws(kRows * kActions, 5), other = draws(kRows * kActions, 6), slope = draws(kRows, 7);
  const std::vector<int64_t> action = {0, 2, 1, 1, 0};
  const torch::Tensor x = leaf(logits, {kRows, kActions}), log_p = torch::log_softmax(x, 1);
  const torch::Tensor taken = log_p.gather(1, torch::tensor(action).unsqueeze(1)).squeeze(1);
  const torch::Tensor entropy = -(log_p.exp() * log_p).sum(1);
  ((taken * tensor_of(slope, {kRows})).sum() + 0.3 * entropy.sum()).backward();
  Vector found(logits.size()), log_q(logits.size()), log_probs(kRows), entropies(kRows), kl(kRows),
      dlogits(logits.size());
  log_softmax(logits, kActions, found);
  log_softmax(other, kActions, log_q);
  categorical_log_prob(found, action, log_probs);
  categorical_entropy(found, entropies);
  categorical_kl(found, log_q, kl);
  categorical_gradient(found, action, slope, 0.3, dlogits);
  check(log_probs, taken);
  check(entropies, entropy);
  check(kl, (log_p.exp() * (log_p - torch::log_softmax(tensor_of(other, {kRows, kActions}), 1))).sum(1));
  check(dlogits, x.grad());
}

BOOST_AUTO_TEST_CASE(gaussian_log_prob_entropy_and_divergence) {
  const int64_t n = 2;
  for (const int64_t std_rows : {int64_t{1}, kRows}) {
    const Vector mean = draws(kRows * n, 8), log_std = draws(static_cast<size_t>(std_rows * n), 9, 0.5);
    const Vector action = draws(kRows * n, 10), slope = draws(kRows, 11);
    const torch::Tensor m = leaf(mean, {kRows, n}), s = leaf(log_std, {std_rows, n});
    const torch::Tensor log_prob = gaussian_log_prob_of(m, s, tensor_of(action, {kRows, n}));
    const torch::Tensor entropy = (s.expand({kRows, n}) + 0.5 + kHalfLog2Pi).sum(1);
    ((log_prob * tensor_of(slope, {kRows})).sum() + 0.3 * entropy.sum()).backward();
    Vector log_probs(kRows), dmean(mean.size()), dlog_std(log_std.size());
    gaussian_log_prob(mean, log_std, action, log_probs);
    gaussian_gradient(mean, log_std, action, slope, 0.3, dmean, dlog_std);
    check(log_probs, log_prob);
    check(gaussian_entropy(log_std.data(), n), entropy[0]);
    check(dmean, m.grad());
    check(dlog_std, s.grad());

    const Vector old_mean = draws(kRows * n, 12), old_log_std = draws(n, 13, 0.5);
    const torch::Tensor om = tensor_of(old_mean, {kRows, n}), os = tensor_of(old_log_std, {1, n});
    m.mutable_grad().zero_();
    s.mutable_grad().zero_();
    const torch::Tensor divergence = (s - os + (os.mul(2).exp() + (om - m).pow(2)) / (2 * s.mul(2).exp()) - 0.5).sum(1);
    (divergence * tensor_of(slope, {kRows})).sum().backward();
    Vector kl(kRows);
    gaussian_kl(old_mean, old_log_std, mean, log_std, kl);
    gaussian_kl_gradient(old_mean, old_log_std, mean, log_std, slope, dmean, dlog_std);
    check(kl, divergence);
    check(dmean, m.grad());
    check(dlog_std, s.grad());
  }
}

BOOST_AUTO_TEST_CASE(tanh_gaussian_sample_with_clamped_deviation) {
  const int64_t n = 3;
  const Vector mean = draws(kRows * n, 14), raw = draws(kRows * n, 15, 2.0), noise = draws(kRows * n, 16);
  const Vector da = draws(kRows * n, 17), dlog_prob = draws(kRows, 18);
  const torch::Tensor m = leaf(mean, {kRows, n}), r = leaf(raw, {kRows, n}), s = r.clamp(-1, 1);
  const torch::Tensor u = m + s.exp() * tensor_of(noise, {kRows, n}), a = torch::tanh(u);
  const torch::Tensor log_prob = gaussian_log_prob_of(m, s, u) - torch::log(1 - a * a).sum(1);
  ((a * tensor_of(da, {kRows, n})).sum() + (log_prob * tensor_of(dlog_prob, {kRows})).sum()).backward();
  Vector log_std(raw.size()), action(raw.size()), found(kRows), dmean(raw.size()), draw(raw.size());
  clamp_log_std(raw, -1, 1, log_std);
  tanh_gaussian_sample(mean, log_std, noise, action, found);
  tanh_gaussian_gradient(log_std, noise, action, da, dlog_prob, dmean, draw);
  clamp_log_std_gradient(raw, -1, 1, draw);
  check(action, a);
  check(found, log_prob);
  check(dmean, m.grad());
  check(draw, r.grad());
}

BOOST_AUTO_TEST_CASE(ppo_losses) {
  const Vector old_log_prob = draws(kRows, 19), log_prob = draws(kRows, 20, 0.5), advantage = draws(kRows, 21);
  const torch::Tensor x = leaf(log_prob, {kRows}), a = tensor_of(advantage, {kRows});
  const torch::Tensor ratio = (x - tensor_of(old_log_prob, {kRows})).exp();
  const torch::Tensor loss = -torch::min(ratio * a, ratio.clamp(0.8, 1.2) * a).mean();
  loss.backward();
  Vector gradient(kRows);
  check(ppo_policy_loss(old_log_prob, log_prob, advantage, 0.2, gradient).loss, loss);
  check(gradient, x.grad());

  const Vector value = draws(kRows, 22), old_value = draws(kRows, 23), returns = draws(kRows, 24);
  for (const double clip : {0.0, 0.5}) {
    const torch::Tensor v = leaf(value, {kRows}), old = tensor_of(old_value, {kRows}), r = tensor_of(returns, {kRows});
    torch::Tensor error = (v - r).pow(2);
    if (clip > 0) error = torch::max(error, (old + (v - old).clamp(-clip, clip) - r).pow(2));
    error.mean().backward();
    check(ppo_value_loss(value, old_value, returns, clip, gradient), error.mean());
    check(gradient, v.grad());
  }
}

BOOST_AUTO_TEST_CASE(sac_losses) {
  const Vector q = draws(2 * kRows, 25), log_prob = draws(kRows, 26);
  const torch::Tensor x = leaf(q, {2, kRows}), lp = tensor_of(log_prob, {kRows});
  const torch::Tensor loss = (0.2 * lp - std::get<0>(x.min(0))).mean();
  loss.backward();
  Vector dq(q.size());
  check(sac_actor_loss(q, log_prob, 0.2, dq), loss);
  check(dq, x.grad());

  const torch::Tensor log_alpha = leaf({-0.7}, {1}), temperature = -(log_alpha * (lp - 3)).mean();
  temperature.backward();
  const auto found = sac_alpha_loss(-0.7, log_prob, -3);
  check(found.loss, temperature);
  check(found.dlog_alpha, log_alpha.grad());
}

BOOST_AUTO_TEST_SUITE_END()
