#include "sac.hpp"

#include <algorithm>
#include <cmath>

#include "../common/box_action.hpp"
#include "../common/means.hpp"
#include "spar/rl/losses.hpp"
#include "spar/rl/sac.hpp"

namespace sac {
namespace {

using spar::StatusError;
using spar::rl::View;
using Tensor = spar::TensorView<float>;

const Options& check_offered(const Options& options) {
  options.refuse_file("SAC");
  common::check_replay(options);
  return options;
}

/// Rows of one act() or, where the instance learns, of one update.
uint64_t most_rows(const Options& options, const spar_algo_setup& setup) {
  const auto batch = static_cast<uint64_t>(options.batch_size);
  return setup.role == SPAR_ROLE_TRAIN ? std::max(setup.max_rows, batch) : setup.max_rows;
}

spar::NetworkSpec critics_spec(const Options& options, const common::CriticInputs& inputs, int64_t critics) {
  spar::NetworkSpec spec;
  spec.inputs = inputs.specs();
  spec.hidden = options.critic_hidden_layers.value_or(options.hidden_layers);
  spec.ensemble = static_cast<uint32_t>(critics);
  spec.slots = 1;
  spec.max_rows = static_cast<uint64_t>(options.batch_size);
  options.place(spec);
  return spec;
}

spar::NetworkSpec log_alpha_spec(const Options& options) {
  spar::NetworkSpec spec;
  spec.value = {std::log(options.alpha)};
  spec.slots = 1;
  options.place(spec);
  return spec;
}

constexpr uint32_t kForget = 0, kKeep = 1;  // activation slots

}  // namespace

Sac::Sac(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
    : ctx_(ctx),
      options_(check_offered(options)),
      observation_(spar::observation_input("SAC", options_, *setup.agent->obs)),
      n_actions_(common::box_action_width("SAC", *setup.agent->act)),
      policy_(ctx_, options_, observation_, n_actions_, most_rows(options_, setup)),
      inputs_("SAC", options_, setup, observation_, n_actions_,
              setup.role == SPAR_ROLE_TRAIN ? static_cast<uint64_t>(options_.batch_size) : 0),
      act_draw_(setup.max_rows, static_cast<uint64_t>(n_actions_)),
      draw_(setup.role == SPAR_ROLE_TRAIN ? static_cast<uint64_t>(options_.batch_size) : 0,
            static_cast<uint64_t>(n_actions_)) {
  if (setup.role != SPAR_ROLE_TRAIN) return;
  if (options_.prioritized && std::isnan(ctx_.progress())) {
    throw StatusError(SPAR_E_INVALID,
                      "priority_beta is a schedule over the step budget, and the run has none: add { env_steps = N } "
                      "to stop.any, or choose prioritized = false");
  }
  const auto spec = critics_spec(options_, inputs_, kCritics);
  learners_.emplace(Learners{{ctx_, "critic", spec}, {ctx_, "critic_target", spec}, std::nullopt});
  learners_->critics_target.blend(learners_->critics, 1.0);
  if (options_.alpha_lr) learners_->log_alpha.emplace(ctx_, "log_alpha", log_alpha_spec(options_));
  actor_adam_.lr = options_.actor_lr;
  actor_adam_.max_grad_norm = options_.max_grad_norm_actor;
  critic_adam_.lr = options_.critic_lr;
  critic_adam_.max_grad_norm = options_.max_grad_norm_critic;
  alpha_adam_.lr = options_.alpha_lr.value_or(0);
  alpha_adam_.max_grad_norm = options_.max_grad_norm_alpha;

  const auto batch = static_cast<size_t>(options_.batch_size);
  for (auto* v : {&q_, &dq_}) v->resize(static_cast<size_t>(kCritics) * batch);
  for (auto* v : {&target_, &error_, &dlog_prob_}) v->resize(batch);
  ones_.assign(batch, 1.0F);
  daction_.resize(batch * static_cast<size_t>(n_actions_));
  actor_loss_ = ctx_.metric("loss/actor");
  critic_loss_ = ctx_.metric("loss/critic");
  if (options_.alpha_lr) alpha_loss_ = ctx_.metric("loss/alpha");
  alpha_metric_ = ctx_.metric("alpha", SPAR_METRIC_LAST);
  q_mean_ = ctx_.metric("q/mean");
  entropy_ = ctx_.metric("entropy");
  actor_norm_ = ctx_.metric("grad_norm/actor");
  critic_norm_ = ctx_.metric("grad_norm/critic");
}

void Sac::needs(spar_needs& out) const {
  common::need_replay(options_, out);
  out.gamma = options_.gamma;
  common::need_transforms(options_, out);
}

void Sac::act(const spar_act& how, const spar_batch& obs, spar_batch& out) {
  const spar::ColumnView x(obs, "obs");
  if (how.mode == SPAR_MODE_GREEDY)
    policy_.mode(x, act_draw_);
  else
    policy_.sample(kForget, x, act_draw_);
  const auto action = spar::column<float>(out, "action");
  std::copy_n(act_draw_.action.begin(), obs.rows * action.width, action.data);
}

void Sac::learn(uint64_t step) {
  const spar::Sample batch = common::sample_replay(options_, ctx_);
  const uint64_t rows = batch.rows();
  const auto& [critics, critics_target, learnt_alpha] = *learners_;
  const double alpha = temperature();

  // Critics: L = sum_k 1/B sum_i w_i (Q_k(s_i, a_i) - y_i)^2 (eq. 5), and the targets follow.
  critic_loss_.record(step, value(batch.batch(), alpha, true));
  critics.backward(kKeep, of_critics(dq_, rows));
  critic_norm_.record(step, critic_adam_.step(ctx_, critics, &critics_target, options_.tau));
  q_mean_.record(step, common::mean(member(q_, 0, rows)));

  // p_i = 1/2 sum_k |Q_k(s_i, a_i) - y_i|
  if (options_.prioritized) {
    for (uint64_t i = 0; i < rows; ++i)
      error_[i] = (std::abs(q_[i] - target_[i]) + std::abs(q_[rows + i] - target_[i])) / 2;
    batch.set_priorities(error_.data());
  }

  // Actor: L = 1/B sum_i alpha log pi(a_i|s_i) - min_k Q_k(s_i, a_i), a_i = tanh(mean + std noise) (eq. 7); only the
  // gradient with respect to the actions passes through the critics.
  actor_loss_.record(step, policy(batch.batch(), alpha));
  const Tensor d_own = matrix(daction_, rows), d_action = inputs_.slope(d_own);
  critics.backward_to_inputs(kKeep, of_critics(dq_, rows), {nullptr, &d_action});
  inputs_.take_own(d_own);
  std::fill_n(dlog_prob_.begin(), rows, static_cast<float>(alpha / static_cast<double>(rows)));
  policy_.backward(kKeep, daction_, dlog_prob_, draw_);
  actor_norm_.record(step, actor_adam_.step(ctx_, policy_.network()));

  // Temperature: L = -log alpha 1/B sum_i (log pi(a_i|s_i) + H), H = -n (eq. 18 in log alpha)
  const View<float> log_prob(draw_.log_prob.data(), rows);
  if (learnt_alpha) {
    const auto loss = spar::rl::sac_alpha_loss(std::log(alpha), log_prob, -static_cast<double>(n_actions_));
    alpha_loss_.record(step, loss.loss);
    float dlog_alpha = static_cast<float>(loss.dlog_alpha);
    learnt_alpha->backward(kKeep, Tensor(&dlog_alpha, 1, 1));
    alpha_adam_.step(ctx_, *learnt_alpha);
  }
  alpha_metric_.record(step, alpha);
  entropy_.record(step, -common::mean(log_prob));
}

double Sac::value(const spar_batch& batch, double alpha, bool gradient) {
  const uint64_t rows = batch.rows;
  const View<const float> reward(spar::column<float>(batch, "reward").data, rows),
      discount(spar::column<float>(batch, "discount").data, rows),
      weight(batch.weight ? batch.weight : ones_.data(), rows);

  // y = r + gamma (1 - terminated) (min_k Q'_k(s', a') - alpha log pi(a'|s')), a' ~ pi(.|s')
  policy_.sample(kForget, spar::ColumnView(batch, "next_obs"), draw_);
  learners_->critics_target.forward(kForget, of_critics(q_, rows), inputs_.next_seen(batch),
                                    inputs_.with(inputs_.next_action(batch), matrix(draw_.action, rows)));
  const View<float> target(target_.data(), rows);
  spar::rl::sac_targets(reward, discount, View<float>(q_.data(), static_cast<size_t>(kCritics) * rows),
                        View<float>(draw_.log_prob.data(), rows), alpha, target);

  learners_->critics.forward(kKeep, of_critics(q_, rows), inputs_.seen(batch), Tensor(inputs_.action(batch)));
  double loss = 0;
  for (int64_t k = 0; k < kCritics; ++k) {
    const auto q = member(q_, k, rows);
    loss += spar::rl::mean_loss(spar::rl::SquaredError{}, q, target, weight);
    if (gradient) spar::rl::mean_loss_gradient(spar::rl::SquaredError{}, q, target, weight, member(dq_, k, rows));
  }
  return loss;
}

double Sac::policy(const spar_batch& batch, double alpha) {
  const uint64_t rows = batch.rows, numbers = static_cast<uint64_t>(kCritics) * rows;
  policy_.sample(kKeep, spar::ColumnView(batch, "obs"), draw_);
  learners_->critics.forward(kKeep, of_critics(q_, rows), inputs_.seen(batch),
                             inputs_.with(inputs_.action(batch), matrix(draw_.action, rows)));
  return spar::rl::sac_actor_loss(View<float>(q_.data(), numbers), View<float>(draw_.log_prob.data(), rows), alpha,
                                  View<float>(dq_.data(), numbers));
}

double Sac::policy_loss(const spar_batch& batch) {
  check_given(batch);
  return policy(batch, temperature());
}

double Sac::value_loss(const spar_batch& batch) {
  check_given(batch);
  return value(batch, temperature(), false);
}

void Sac::check_given(const spar_batch& batch) const {
  if (!learners_)
    throw StatusError(SPAR_E_STATE, "an acting copy has no critics: ask the instance that learns for its losses");
  spar::require_rows(batch, static_cast<uint64_t>(options_.batch_size));
}

double Sac::temperature() const {
  if (!learners_->log_alpha) return options_.alpha;
  float log_alpha = 0;
  learners_->log_alpha->forward(kKeep, Tensor(&log_alpha, 1, 1));
  return std::exp(static_cast<double>(log_alpha));
}

Tensor Sac::of_critics(std::vector<float>& v, uint64_t rows) const {
  return {v.data(), kCritics, static_cast<int64_t>(rows), 1};
}

Tensor Sac::matrix(std::vector<float>& v, uint64_t rows) const {
  return {v.data(), static_cast<int64_t>(rows), n_actions_};
}

View<float> Sac::member(std::vector<float>& v, int64_t k, uint64_t rows) const {
  return {v.data() + static_cast<uint64_t>(k) * rows, rows};
}

}  // namespace sac
