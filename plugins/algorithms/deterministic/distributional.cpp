#include "distributional.hpp"

#include <cstdio>

#include "../common/means.hpp"

namespace deterministic {
namespace {

spar::rl::Support support_of(const DistributionalOptions& options) {
  if (!(options.v_min < options.v_max)) {
    throw spar::StatusError(SPAR_E_INVALID, "v_min is " + spar::detail::json(options.v_min) +
                                                ", expected a number below v_max, which is " +
                                                spar::detail::json(options.v_max));
  }
  return {options.v_min, options.v_max, static_cast<size_t>(options.num_atoms)};
}

}  // namespace

Distributional::Distributional(const spar::Context& ctx, const char* name, const DistributionalOptions& options,
                               const spar_algo_setup& setup)
    : ActorCritic(ctx, name, options, setup, options.num_atoms, options.action_scale),
      n_steps_(options.n_steps),
      z_(support_of(options)) {
  if (!learners_) return;
  const auto batch = static_cast<size_t>(options.batch_size);
  for (auto* v : {&p_next_, &target_, &logits_, &d_logits_}) v->resize(batch * z_.size());
  q_.resize(batch);
  clipped_ = ctx_.metric("target/clipped");
}

void Distributional::needs(spar_needs& out) const {
  ActorCritic::needs(out);
  out.n_step = static_cast<uint32_t>(n_steps_);
}

/// Y_i = Phi(R_i + gamma^k (1 - terminated_i) z) with the probabilities of Z'(s'_i, mu'(s'_i))                    (1)
/// L = -1/B sum_i w_i sum_j Y_ij log softmax(logits(s_i, a_i))_j                                                  (2)
double Distributional::critic_loss(const Transitions& batch) {
  const auto& [actor_target, critic, critic_target] = *learners_;
  const uint64_t rows = batch.rows, numbers = rows * z_.size();
  const Tensor mu = matrix(mu_, rows);

  policy(actor_target, kForget, mu, batch.next_obs);
  critic_target.forward(kForget, matrix(p_next_, rows), batch.next_seen, inputs_.with(batch.next_action, mu));
  spar::rl::softmax(first(p_next_, numbers), z_.size(), first(p_next_, numbers));
  beyond_ = spar::rl::project(z_, batch.reward, batch.discount, first(p_next_, numbers), first(target_, numbers));

  critic.forward(kKeep, matrix(logits_, rows), batch.seen, Tensor(batch.action));
  spar::rl::cross_entropy_gradient(first(target_, numbers), first(logits_, numbers), batch.weight, first(error_, rows),
                                   first(d_logits_, numbers));
  return common::weighted_mean(first(error_, rows), batch.weight);
}

/// -J = -1/B sum_i E[Z(s_i, mu(s_i))], whose gradient passes through the action                                   (3)
double Distributional::actor_loss(const Transitions& batch) {
  const uint64_t rows = batch.rows, numbers = rows * z_.size();
  const Tensor mu = matrix(mu_, rows);
  policy(actor_, kKeep, mu, batch.obs);
  learners_->critic.forward(kKeep, matrix(logits_, rows), batch.seen, inputs_.with(batch.action, mu));
  return spar::rl::negative_expectation(z_, first(logits_, numbers), first(d_logits_, numbers));
}

/// One update, Algorithm 1 and section 3 of Barth-Maron et al.; the numbers are those of d3pg's README: the critic,
/// then the actor by the improved critic, then the targets.
void Distributional::learn(uint64_t step) {
  const spar::Sample sample = common::sample_replay(shared_, ctx_);
  const Transitions batch = transitions(sample.batch());
  const uint64_t rows = batch.rows;
  auto& [actor_target, critic, critic_target] = *learners_;

  // Critic: descend L (1, 2). Nothing below asks its target network, which follows in the same pass.
  critic_loss_.record(step, critic_loss(batch));
  q_mean_.record(step, mean_value(rows));
  watch_support(step, rows);
  critic.backward(kKeep, matrix(d_logits_, rows));
  critic_norm_.record(step, critic_adam_.step(ctx_, critic, &critic_target, shared_.tau));

  // Actor: ascend J (3) through the action; Z itself gets no gradient.
  actor_loss_.record(step, actor_loss(batch));
  const Tensor d_mu = matrix(d_mu_, rows), d_action = inputs_.slope(d_mu);
  critic.backward_to_inputs(kKeep, matrix(d_logits_, rows), {nullptr, &d_action});
  inputs_.take_own(d_mu);
  policy_backward(kKeep, d_mu);
  actor_norm_.record(step, actor_adam_.step(ctx_, actor_, &actor_target, shared_.tau));

  // p_i = the cross-entropy of transition i, before the update
  if (shared_.prioritized) sample.set_priorities(error_.data());
}

double Distributional::policy_loss(const spar_batch& batch) { return actor_loss(transitions(given(batch))); }

double Distributional::value_loss(const spar_batch& batch) { return critic_loss(transitions(given(batch))); }

/// 1/B sum_i E[Z(s_i, a_i)]; the probabilities take the place of those of the targets, which are projected by now.
double Distributional::mean_value(uint64_t rows) {
  const uint64_t numbers = rows * z_.size();
  spar::rl::softmax(first(logits_, numbers), z_.size(), first(p_next_, numbers));
  spar::rl::expectation(z_, first(p_next_, numbers), first(q_, rows));
  return common::mean(first(q_, rows));
}

/// Returns beyond the support are learnt as its ends: the policy would be led astray without a sign.
void Distributional::watch_support(uint64_t step, uint64_t rows) {
  clipped_.record(step, static_cast<double>(beyond_) / static_cast<double>(rows));
  if (const auto share = watch_.add(beyond_, rows)) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%.1f %% of the targets lie outside the support [%g, %g] and are clipped: widen v_min and v_max, or "
                  "scale the rewards (reward_transform)",
                  100 * *share, z_.v_min(), z_.v_max());
    ctx_.log(SPAR_LOG_WARN, text);
  }
}

void Distributional::save(spar::StreamWriter& writer) const {
  ActorCritic::save(writer);
  watch_.save(writer);
}

void Distributional::load(spar::StreamReader& reader) {
  ActorCritic::load(reader);
  watch_.load(reader);
}

}  // namespace deterministic
