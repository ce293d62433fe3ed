#include "ppo.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "../common/critic_inputs.hpp"
#include "spar/rl/advantages.hpp"
#include "spar/rl/schedule.hpp"

namespace ppo {
namespace {

using spar::StatusError;
using spar::rl::View;

const Options& check_offered(const Options& options) {
  if (options.network == "torchscript" && !options.shared_trunk)
    throw StatusError(
        SPAR_E_UNSUPPORTED,
        "PPO has a network for the policy and one for the values, and network = \"torchscript\" names one "
        "file: set shared_trunk = true, whose module gives the policy's outputs and then the value");
  if (options.shared_trunk && options.actor_number_updates != options.critic_number_updates) {
    throw StatusError(SPAR_E_INVALID, "with shared_trunk each step is of both losses, but actor_number_updates is " +
                                          std::to_string(options.actor_number_updates) +
                                          " and critic_number_updates is " +
                                          std::to_string(options.critic_number_updates) + ": set both to one number");
  }
  return options;
}

/// Whether a row's outputs are the same bits in every batch, and the policy has a network of its own.
bool computes_rows_alone(const Options& options) {
  const std::string& backend = options.network_backend;
  const bool native =
      backend == "native" || (backend == "auto" && options.network == "mlp" && options.device != "cuda");
  return native && !options.shared_trunk;
}

std::optional<spar::InputSpec> central_input(const Options& options, const spar_algo_setup& setup,
                                             const spar::InputSpec& obs) {
  if (!common::is_central(setup)) return std::nullopt;
  if (options.shared_trunk)
    throw StatusError(SPAR_E_UNSUPPORTED,
                      "PPO with a central critic has a policy that sees one agent and values that see the team, found "
                      "shared_trunk = true: set it to false");
  return common::seen_by_critic("PPO", options, setup, obs);
}

/// Environment copies that feed the rollout.
uint64_t lanes_of(const spar_algo_setup& setup) {
  const uint64_t lanes = setup.struct_size >= SPAR_END(spar_algo_setup, lanes) ? setup.lanes : 0;
  if (lanes == 0 && setup.role == SPAR_ROLE_TRAIN) {
    throw StatusError(SPAR_E_UNSUPPORTED,
                      "PPO must know how many environment copies feed its rollout, and this host does not say: use a "
                      "newer host");
  }
  return lanes;
}

uint64_t check_batch(const Options& options, uint64_t phase_rows, const spar_algo_setup& setup) {
  const auto batch = static_cast<uint64_t>(options.batch_size.value_or(options.rollout_length));
  if (setup.role == SPAR_ROLE_TRAIN && batch > phase_rows) {
    throw StatusError(SPAR_E_INVALID, "batch_size is " + std::to_string(batch) + ", expected at most the " +
                                          std::to_string(phase_rows) + " transitions of one learning phase, which is " +
                                          "rollout_length " + std::to_string(options.rollout_length) +
                                          " times the number of environment copies");
  }
  return batch;
}

}  // namespace

Ppo::Ppo(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
    : ctx_(ctx),
      options_(check_offered(options)),
      phase_rows_(static_cast<uint64_t>(options_.rollout_length) * lanes_of(setup)),
      batch_size_(check_batch(options_, phase_rows_, setup)),
      input_(spar::observation_input("PPO", options_, *setup.agent->obs)),
      seen_(central_input(options_, setup, input_)),
      policy_(make_policy(ctx_, options_, *setup.agent->act, batch_size_)),
      nets_(ctx_, options_, input_, seen_.value_or(input_), policy_->outputs(), std::max(setup.max_rows, batch_size_),
            setup.role == SPAR_ROLE_TRAIN),
      kl_beta_(options_.kl_beta) {
  const auto width = static_cast<size_t>(policy_->outputs());
  outputs_.resize(std::max(setup.max_rows, batch_size_) * width);
  if (setup.role != SPAR_ROLE_TRAIN) return;

  if (options_.lr_schedule == "linear" && std::isnan(ctx_.progress())) {
    throw StatusError(
        SPAR_E_INVALID,
        "lr_schedule = \"linear\" falls with the step budget, and the run has none: add { env_steps = N } "
        "to stop.any (stop.training.any for learned responses)");
  }
  actor_adam_.max_grad_norm = options_.max_grad_norm_actor;
  critic_adam_.max_grad_norm = options_.max_grad_norm_critic;
  acted_.emplace(input_, lanes_of(setup), phase_rows_, width, computes_rows_alone(options_));
  appraisal_.emplace(options_, nets_, *policy_, input_, seen_ ? &*seen_ : nullptr, batch_size_, phase_rows_);
  order_.reserve(phase_rows_);
  obs_.emplace(input_, batch_size_);
  if (seen_) states_.emplace(*seen_, batch_size_);
  doutputs_.resize(batch_size_ * width);
  for (auto* v : {&log_prob_, &dlog_prob_, &old_, &adv_, &v_, &dv_, &old_v_, &target_}) v->resize(batch_size_);

  actor_loss_ = ctx_.metric("loss/actor");
  critic_loss_ = ctx_.metric("loss/critic");
  entropy_ = ctx_.metric("entropy");
  kl_ = ctx_.metric("kl");
  clipped_ = ctx_.metric("clip_fraction");
  actor_norm_ = ctx_.metric("grad_norm/actor");
  if (!options_.shared_trunk) critic_norm_ = ctx_.metric("grad_norm/critic");
  value_mean_ = ctx_.metric("value/mean");
}

void Ppo::needs(spar_needs& out) const {
  out.buffer_kind = SPAR_BUF_ROLLOUT;
  out.capacity = out.rows_per_learn = out.learn_every = std::max<uint64_t>(1, phase_rows_);
  out.updates = 1;
  out.gamma = options_.gamma;
  common::need_transforms(options_, out);
}

void Ppo::act(const spar_act& how, const spar_batch& obs, spar_batch& out) {
  const Observations seen(obs, "obs", input_);
  nets_.forward(kForget, seen.view(0, obs.rows), outputs_.data(), nullptr);
  if (acted_ && how.mode == SPAR_MODE_EXPLORE) acted_->note(seen, obs.rows, outputs_.data());
  policy_->choose(obs, how.mode == SPAR_MODE_GREEDY, outputs_.data(), out);
}

void Ppo::learn(uint64_t step) {
  const spar::Sample rollout = ctx_.sample(0);
  const uint64_t rows = rollout.rows();
  const double lr_scale = learning_rate_scale();
  bool too_far = false;

  appraisal_->take(rollout.batch(),
                   &*acted_);  // A, R = A + V and log pi_old, before the first step changes policy or values
  acted_->forget();
  for (int64_t epoch = 0; epoch < options_.num_epochs; ++epoch) {
    shuffle(rows);
    for (uint64_t begin = 0; begin < rows; begin += batch_size_) {
      take_minibatch(rollout.batch(), begin, std::min(batch_size_, rows - begin));
      for (int64_t k = 0; k < options_.actor_number_updates && !too_far; ++k) too_far = !improve_policy(step, lr_scale);
      if (options_.shared_trunk) continue;  // the steps of both were the same
      for (int64_t k = 0; k < options_.critic_number_updates; ++k) improve_values(step, lr_scale);
    }
  }
  // beta doubles where d > 1.5 d_target and halves where d < d_target / 1.5 (section 4)
  if (options_.using_kl_div && options_.target_kl)
    kl_beta_ = spar::rl::ppo_adapted_beta(kl_beta_, kl_since(rollout.batch()), *options_.target_kl);
  value_mean_.record(
      step, std::accumulate(appraisal_->value.begin(), appraisal_->value.end(), 0.0) / static_cast<double>(rows));
}

/// One descent on the minibatch; false, and nothing is changed, if the policy has moved too far from the old one.
bool Ppo::improve_policy(uint64_t step, double lr_scale) {
  const View<const float> old(old_.data(), rows_), log_prob(log_prob_.data(), rows_), advantage(adv_.data(), rows_);
  const View<float> slope(dlog_prob_.data(), rows_);
  const bool shared = options_.shared_trunk;

  // L = -1/B sum_i min(rho_i A_i, clip(rho_i, 1 - c, 1 + c) A_i) - c_e H, rho = pi(a|s) / pi_old(a|s) (eq. 7 and 9), or
  // L = -1/B sum_i rho_i A_i + beta KL(pi_old || pi) - c_e H (eq. 8)
  nets_.forward(kKeep, obs_->view(rows_), outputs_.data(), shared ? v_.data() : nullptr);
  const double entropy = policy_->log_prob(outputs_.data(), log_prob_.data());
  const spar::rl::PpoPolicyLoss loss =
      options_.using_kl_div ? spar::rl::ppo_penalty_loss(old, log_prob, advantage, kl_beta_, slope)
                            : spar::rl::ppo_policy_loss(old, log_prob, advantage, options_.ppo_ratio_clip, slope);
  kl_.record(step, loss.kl);
  if (options_.target_kl && spar::rl::ppo_kl_stop(loss.kl, *options_.target_kl)) return false;

  policy_->gradient(dlog_prob_.data(), -options_.entropy_weight / static_cast<double>(rows_), doutputs_.data());
  if (shared) {  // + c_v (V - R)^2 (eq. 9)
    const View<float> dv(dv_.data(), rows_);
    critic_loss_.record(
        step, spar::rl::ppo_value_loss(View<const float>(v_.data(), rows_), View<const float>(old_v_.data(), rows_),
                                       View<const float>(target_.data(), rows_), options_.value_clip.value_or(0), dv));
    for (float& slope_of_value : dv) slope_of_value *= static_cast<float>(options_.value_weight);
  }
  nets_.backward(rows_, doutputs_.data(), shared ? dv_.data() : nullptr);

  actor_loss_.record(step, loss.loss - options_.entropy_weight * entropy);  // before the step, which refuses a NaN
  entropy_.record(step, entropy);
  clipped_.record(step, loss.clip_fraction);
  actor_adam_.lr = options_.actor_lr * lr_scale;
  const spar::Network* beside = policy_->beside();
  actor_norm_.record(step,
                     beside ? actor_adam_.step(ctx_, {&nets_.actor(), beside}) : actor_adam_.step(ctx_, nets_.actor()));
  return true;
}

/// One descent of L = 1/B sum_i (V(s_i) - R_i)^2 on the minibatch; R is made of the advantages as they were, not of the
/// normalised ones.
void Ppo::improve_values(uint64_t step, double lr_scale) {
  nets_.forward(kKeep, (seen_ ? states_ : obs_)->view(rows_), nullptr, v_.data());
  critic_loss_.record(
      step, spar::rl::ppo_value_loss(View<const float>(v_.data(), rows_), View<const float>(old_v_.data(), rows_),
                                     View<const float>(target_.data(), rows_), options_.value_clip.value_or(0),
                                     View<float>(dv_.data(), rows_)));
  nets_.backward(rows_, nullptr, dv_.data());
  critic_adam_.lr = options_.critic_lr * lr_scale;
  critic_norm_.record(step, critic_adam_.step(ctx_, nets_.critic()));
}

/// A fresh permutation of the rollout's rows (Fisher and Yates).
void Ppo::shuffle(uint64_t rows) {
  order_.resize(rows);
  std::iota(order_.begin(), order_.end(), uint64_t{0});
  double draws[256];
  for (uint64_t left = rows; left > 1;) {
    const uint64_t n = std::min<uint64_t>(std::size(draws), left - 1);
    ctx_.uniforms(draws, n);
    for (uint64_t k = 0; k < n; ++k, --left)
      std::swap(order_[left - 1], order_[static_cast<uint64_t>(draws[k] * static_cast<double>(left))]);  // below(left)
  }
}

/// Rows order_[begin] .. of the rollout, their advantages normalised among themselves.
void Ppo::take_minibatch(const spar_batch& rollout, uint64_t begin, uint64_t rows) {
  rows_ = rows;
  const uint64_t* picked = &order_[begin];
  const Observations obs(rollout, "obs", input_), seen(rollout, seen_ ? "state" : "obs", seen_ ? *seen_ : input_);
  for (uint64_t i = 0; i < rows; ++i) {
    obs_->put(i, obs, picked[i]);
    if (states_) states_->put(i, seen, picked[i]);
    const Appraisal::Row& row = appraisal_->of_row[picked[i]];
    old_[i] = row.log_prob;
    adv_[i] = row.advantage;
    old_v_[i] = row.value;
    target_[i] = row.target;
  }
  policy_->take(rollout, picked, rows);
  spar::rl::normalise(View<float>(adv_.data(), rows));
}

/// KL(pi_old || pi) over the rollout, after the phase.
double Ppo::kl_since(const spar_batch& rollout) {
  double sum = 0;
  for (uint64_t begin = 0; begin < rollout.rows; begin += batch_size_) {
    take_minibatch(rollout, begin, std::min(batch_size_, rollout.rows - begin));
    nets_.forward(kForget, obs_->view(rows_), outputs_.data(), nullptr);
    policy_->log_prob(outputs_.data(), log_prob_.data());
    const View<const float> old(old_.data(), rows_), now(log_prob_.data(), rows_);
    sum += spar::rl::ppo_policy_loss(old, now, View<const float>(adv_.data(), rows_), options_.ppo_ratio_clip,
                                     View<float>(dlog_prob_.data(), rows_))
               .kl *
           static_cast<double>(rows_);
  }
  return sum / static_cast<double>(rollout.rows);
}

double Ppo::learning_rate_scale() const {
  return options_.lr_schedule == "linear" ? spar::rl::LinearSchedule{1, 0, 1}.at(ctx_.progress()) : 1.0;
}

double Ppo::policy_loss(const spar_batch& rollout) {
  spar::require_rows(rollout, phase_rows_);
  appraisal_->take(rollout);
  std::vector<float> advantage = appraisal_->advantage, slope(rollout.rows);
  const std::vector<float>& log_prob = appraisal_->log_prob;
  spar::rl::normalise(advantage);
  const auto loss = options_.using_kl_div
                        ? spar::rl::ppo_penalty_loss(log_prob, log_prob, advantage, kl_beta_, slope)
                        : spar::rl::ppo_policy_loss(log_prob, log_prob, advantage, options_.ppo_ratio_clip, slope);
  return loss.loss - options_.entropy_weight * appraisal_->entropy;
}

double Ppo::value_loss(const spar_batch& rollout) {
  spar::require_rows(rollout, phase_rows_);
  appraisal_->take(rollout);
  std::vector<float> slope(rollout.rows);
  return spar::rl::ppo_value_loss(appraisal_->value, appraisal_->value, appraisal_->target,
                                  options_.value_clip.value_or(0), slope);
}

void Ppo::save(spar::StreamWriter& writer) const { writer.put(kl_beta_); }

void Ppo::load(spar::StreamReader& reader) {
  kl_beta_ = reader.get<double>();
  if (acted_) acted_->forget();
}

}  // namespace ppo
