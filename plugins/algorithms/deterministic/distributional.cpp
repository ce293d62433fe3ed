#include "distributional.hpp"

#include <cstdio>

namespace deterministic {

using spar::rl::View;

namespace {

constexpr uint64_t kLookEvery = 10'000;   // targets
constexpr double kTolerableShare = 0.01;  // of targets that the support cannot hold

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

/// One update, Algorithm 1 of Barth-Maron et al.: the critic, then the actor by the improved critic, then the targets.
void Distributional::learn(uint64_t step) {
  const spar::Sample sample = ctx_.sample(static_cast<uint64_t>(shared_.batch_size), beta());
  const auto [rows, obs, action, next_obs, reward, discount, weight] = transitions(sample);
  const auto& [actor_target, critic, critic_target] = *learners_;
  const auto n = static_cast<int64_t>(rows), n_atoms = static_cast<int64_t>(z_.size());
  const auto per_row = [size = rows](std::vector<float>& v) { return View<float>(v.data(), size); };
  const auto per_atom = [size = rows * z_.size()](std::vector<float>& v) { return View<float>(v.data(), size); };
  const Tensor p_next(p_next_.data(), n, n_atoms), logits(logits_.data(), n, n_atoms),
      d_logits(d_logits_.data(), n, n_atoms);
  const Tensor mu(mu_.data(), n, n_actions_), d_mu(d_mu_.data(), n, n_actions_);

  // Y_i = Phi(R_i + gamma^k (1 - terminated_i) z), with the probabilities of Z'(s'_i, mu'(s'_i))            (eq. 3,
  // A.1)
  policy(actor_target, kForget, mu, next_obs);
  critic_target.forward(kForget, p_next, Tensor(next_obs), mu);
  spar::rl::softmax(per_atom(p_next_), z_.size(), per_atom(p_next_));
  watch_support(step, spar::rl::project(z_, reward, discount, per_atom(p_next_), per_atom(target_)), rows);

  // L = -1/B sum_i w_i sum_j Y_ij log softmax(logits(s_i, a_i))_j                                               (eq. 4)
  critic.forward(kKeep, logits, Tensor(obs), Tensor(action));
  spar::rl::cross_entropy_gradient(per_atom(target_), per_atom(logits_), weight, per_row(error_), per_atom(d_logits_));
  critic.backward(kKeep, d_logits);
  critic_loss_.record(step, weighted_mean(error_, weight));
  record_q(step, rows);
  // Nothing below asks the critic's target, so it may follow in the same pass.
  critic_norm_.record(step, critic_adam_.step(ctx_, critic, &critic_target, shared_.tau));

  // J = 1/B sum_i E[Z(s_i, mu(s_i))], ascended through the action; Z itself gets no gradient                    (eq. 2)
  policy(actor_, kKeep, mu, obs);
  critic.forward(kKeep, logits, Tensor(obs), mu);
  const double actor_loss = spar::rl::negative_expectation(z_, per_atom(logits_), per_atom(d_logits_));
  actor_loss_.record(step, actor_loss);
  critic.backward_to_inputs(kKeep, d_logits, {nullptr, &d_mu});
  policy_backward(kKeep, d_mu);
  actor_norm_.record(step, actor_adam_.step(ctx_, actor_, &actor_target, shared_.tau));

  // p_i = the cross-entropy of transition i
  if (shared_.prioritized) sample.set_priorities(error_.data());
}

/// The mean of E[Z(s_i, a_i)], for the record.
void Distributional::record_q(uint64_t step, uint64_t rows) {
  const View<float> p(p_next_.data(), rows * z_.size()), q(q_.data(), rows);
  spar::rl::softmax(View<const float>(logits_.data(), p.size()), z_.size(), p);
  spar::rl::expectation(z_, p, q);
  q_mean_.record(step, mean_of(q_, rows));
}

/// Returns beyond the support are learnt as its ends: the policy would be led astray without a sign.
void Distributional::watch_support(uint64_t step, size_t clipped, uint64_t rows) {
  clipped_.record(step, static_cast<double>(clipped) / static_cast<double>(rows));
  watch_.targets += rows;
  watch_.clipped += clipped;
  if (watch_.targets < kLookEvery) return;
  const double share = static_cast<double>(watch_.clipped) / static_cast<double>(watch_.targets);
  if (share > kTolerableShare && !watch_.warned) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%.1f %% of the targets lie outside the support [%g, %g] and are clipped: widen v_min and v_max, or "
                  "scale the rewards (reward_transform)",
                  100 * share, z_.v_min(), z_.v_max());
    ctx_.log(SPAR_LOG_WARN, text);
    watch_.warned = true;
  }
  watch_.targets = watch_.clipped = 0;
}

void Distributional::save(spar::StreamWriter& writer) const {
  ActorCritic::save(writer);
  writer.put(watch_.targets);
  writer.put(watch_.clipped);
  writer.put<uint8_t>(watch_.warned);
}

void Distributional::load(spar::StreamReader& reader) {
  ActorCritic::load(reader);
  watch_.targets = reader.get<uint64_t>();
  watch_.clipped = reader.get<uint64_t>();
  watch_.warned = reader.get<uint8_t>() != 0;
}

}  // namespace deterministic
