#include "ddpg.hpp"

#include <algorithm>
#include <cmath>

#include "spar/rl/losses.hpp"
#include "spar/rl/targets.hpp"

namespace ddpg {

using deterministic::mean_of;
using deterministic::Tensor;
using spar::rl::View;

Ddpg::Ddpg(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
    : ActorCritic(ctx, "DDPG", options, setup, 1, 1.0) {
  if (!learners_) return;
  for (auto* v : {&q_, &q_next_, &y_, &dq_}) v->resize(static_cast<size_t>(shared_.batch_size));
}

/// One update, Algorithm 1 of Lillicrap et al.: the critic, then the actor by the improved critic, then the targets.
void Ddpg::learn(uint64_t step) {
  const spar::Sample sample = ctx_.sample(static_cast<uint64_t>(shared_.batch_size), beta());
  const auto [rows, obs, action, next_obs, reward, discount, weight] = transitions(sample);
  const auto& [actor_target, critic, critic_target] = *learners_;
  const auto n = static_cast<int64_t>(rows);
  const auto per_row = [size = rows](std::vector<float>& v) { return View<float>(v.data(), size); };
  const Tensor q(q_.data(), n, 1), q_next(q_next_.data(), n, 1), dq(dq_.data(), n, 1);
  const Tensor mu(mu_.data(), n, n_actions_), d_mu(d_mu_.data(), n, n_actions_);

  // y_i = r_i + gamma (1 - terminated_i) Q'(s'_i, mu'(s'_i))
  policy(actor_target, kForget, mu, next_obs);
  critic_target.forward(kForget, q_next, Tensor(next_obs), mu);
  for (uint64_t i = 0; i < rows; ++i) y_[i] = spar::rl::bootstrap_target(reward[i], discount[i], q_next_[i]);

  // L = 1/B sum_i w_i (y_i - Q(s_i, a_i))^2                                                            (eq. 4 and 5)
  critic.forward(kKeep, q, Tensor(obs), Tensor(action));
  const spar::rl::SquaredError square;
  spar::rl::mean_loss_gradient(square, per_row(q_), per_row(y_), weight, per_row(dq_));
  critic.backward(kKeep, dq);
  critic_loss_.record(step, spar::rl::mean_loss(square, per_row(q_), per_row(y_), weight));
  q_mean_.record(step, mean_of(q_, rows));
  for (uint64_t i = 0; i < rows; ++i) error_[i] = std::abs(q_[i] - y_[i]);
  // Nothing below asks the critic's target, so it may follow in the same pass.
  critic_norm_.record(step, critic_adam_.step(ctx_, critic, &critic_target, shared_.tau));

  // grad_theta J = 1/B sum_i grad_a Q(s_i, a)|a = mu(s_i) grad_theta mu(s_i); Q itself gets no gradient      (eq. 6)
  policy(actor_, kKeep, mu, obs);
  critic.forward(kKeep, q, Tensor(obs), mu);
  actor_loss_.record(step, -mean_of(q_, rows));
  std::fill_n(dq_.begin(), rows, -1.0F / static_cast<float>(rows));
  critic.backward_to_inputs(kKeep, dq, {nullptr, &d_mu});
  policy_backward(kKeep, d_mu);
  actor_norm_.record(step, actor_adam_.step(ctx_, actor_, &actor_target, shared_.tau));

  // p_i = |Q(s_i, a_i) - y_i|
  if (shared_.prioritized) sample.set_priorities(error_.data());
}

}  // namespace ddpg
