#include "ddpg.hpp"

#include <algorithm>
#include <cmath>

#include "../common/means.hpp"
#include "spar/rl/losses.hpp"
#include "spar/rl/targets.hpp"

namespace ddpg {

using deterministic::first;
using deterministic::Tensor;
using deterministic::Transitions;

Ddpg::Ddpg(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
    : ActorCritic(ctx, "DDPG", options, setup, 1, 1.0) {
  if (!learners_) return;
  for (auto* v : {&q_, &q_next_, &y_, &dq_}) v->resize(static_cast<size_t>(shared_.batch_size));
}

/// L = 1/B sum_i w_i (y_i - Q(s_i, a_i))^2 with y_i = r_i + gamma (1 - terminated_i) Q'(s'_i, mu'(s'_i))   (eq. 4, 5)
double Ddpg::critic_loss(const Transitions& batch) {
  const auto& [actor_target, critic, critic_target] = *learners_;
  const Tensor mu = matrix(mu_, batch.rows), q = matrix(q_, batch.rows), q_next = matrix(q_next_, batch.rows);

  policy(actor_target, kForget, mu, batch.next_obs);
  critic_target.forward(kForget, q_next, batch.next_seen, inputs_.with(batch.next_action, mu));
  for (uint64_t i = 0; i < batch.rows; ++i)
    y_[i] = spar::rl::bootstrap_target(batch.reward[i], batch.discount[i], q_next_[i]);

  critic.forward(kKeep, q, batch.seen, Tensor(batch.action));
  return spar::rl::mean_loss(spar::rl::SquaredError{}, first(q_, batch.rows), first(y_, batch.rows), batch.weight);
}

/// -J = -1/B sum_i Q(s_i, mu(s_i))
double Ddpg::actor_loss(const Transitions& batch) {
  const Tensor mu = matrix(mu_, batch.rows);
  policy(actor_, kKeep, mu, batch.obs);
  learners_->critic.forward(kKeep, matrix(q_, batch.rows), batch.seen, inputs_.with(batch.action, mu));
  return -common::mean(first(q_, batch.rows));
}

/// One update, Algorithm 1 of Lillicrap et al.: the critic, then the actor by the improved critic, then the targets.
void Ddpg::learn(uint64_t step) {
  const spar::Sample sample = common::sample_replay(shared_, ctx_);
  const Transitions batch = transitions(sample.batch());
  const uint64_t rows = batch.rows;
  auto& [actor_target, critic, critic_target] = *learners_;

  // Critic: descend L. Nothing below asks its target network, which follows in the same pass.
  critic_loss_.record(step, critic_loss(batch));
  q_mean_.record(step, common::mean(first(q_, rows)));
  for (uint64_t i = 0; i < rows; ++i) error_[i] = std::abs(q_[i] - y_[i]);
  spar::rl::mean_loss_gradient(spar::rl::SquaredError{}, first(q_, rows), first(y_, rows), batch.weight,
                               first(dq_, rows));
  critic.backward(kKeep, matrix(dq_, rows));
  critic_norm_.record(step, critic_adam_.step(ctx_, critic, &critic_target, shared_.tau));

  // Actor: grad J = 1/B sum_i grad_a Q(s_i, a)|a = mu(s_i) grad mu(s_i); Q itself gets no gradient           (eq. 6)
  actor_loss_.record(step, actor_loss(batch));
  std::fill_n(dq_.begin(), rows, -1.0F / static_cast<float>(rows));
  const Tensor d_mu = matrix(d_mu_, rows), d_action = inputs_.slope(d_mu);
  critic.backward_to_inputs(kKeep, matrix(dq_, rows), {nullptr, &d_action});
  inputs_.take_own(d_mu);
  policy_backward(kKeep, d_mu);
  actor_norm_.record(step, actor_adam_.step(ctx_, actor_, &actor_target, shared_.tau));

  // p_i = |Q(s_i, a_i) - y_i|, before the update
  if (shared_.prioritized) sample.set_priorities(error_.data());
}

double Ddpg::policy_loss(const spar_batch& batch) { return actor_loss(transitions(given(batch))); }

double Ddpg::value_loss(const spar_batch& batch) { return critic_loss(transitions(given(batch))); }

}  // namespace ddpg
