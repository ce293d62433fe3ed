#include "actor_critic.hpp"

#include <algorithm>
#include <cmath>

#include "../common/box_action.hpp"

namespace deterministic {
namespace {

using spar::StatusError;

Options checked(const char* name, const Options& options) {
  options.refuse_file(name);
  common::check_replay(options);
  return options;
}

/// An acting copy has no batches and no gradients.
spar::NetworkSpec actor_spec(const Options& options, const spar::InputSpec& obs, int64_t n_actions,
                             const spar_algo_setup& setup) {
  const bool learns = setup.role == SPAR_ROLE_TRAIN;
  spar::NetworkSpec spec;
  spec.inputs = {obs};
  spec.hidden = options.actor_hidden_layers.value_or(options.hidden_layers);
  spec.out = n_actions;
  spec.output = "tanh";
  spec.max_rows = learns ? std::max(setup.max_rows, static_cast<uint64_t>(options.batch_size)) : setup.max_rows;
  spec.slots = learns ? 1 : 0;
  options.place(spec);
  return spec;
}

spar::NetworkSpec critic_spec(const Options& options, const common::CriticInputs& inputs, int64_t out, uint32_t slots) {
  spar::NetworkSpec spec;
  spec.inputs = inputs.specs();
  spec.hidden = options.critic_hidden_layers.value_or(options.hidden_layers);
  spec.out = out;
  spec.max_rows = static_cast<uint64_t>(options.batch_size);
  spec.slots = slots;
  options.place(spec);
  return spec;
}

}  // namespace

ActorCritic::ActorCritic(const spar::Context& ctx, const char* name, const Options& options,
                         const spar_algo_setup& setup, int64_t critic_out, double action_scale)
    : ctx_(ctx),
      shared_(checked(name, options)),
      observation_(spar::observation_input(name, shared_, *setup.agent->obs)),
      n_actions_(common::box_action_width(name, *setup.agent->act)),
      action_scale_(action_scale),
      inputs_(name, shared_, setup, observation_, n_actions_,
              setup.role == SPAR_ROLE_TRAIN ? static_cast<uint64_t>(shared_.batch_size) : 0),
      actor_(ctx_, "actor", actor_spec(shared_, observation_, n_actions_, setup)),
      exploration_(shared_, setup, n_actions_) {
  if (setup.role != SPAR_ROLE_TRAIN) return;
  if (shared_.prioritized && std::isnan(ctx_.progress())) {
    throw StatusError(SPAR_E_INVALID,
                      "beta is a schedule over the step budget, and the run has none: add { env_steps = N } to "
                      "stop.any, or choose prioritized = false");
  }
  spar::NetworkSpec target = actor_spec(shared_, observation_, n_actions_, setup);
  target.slots = 0;
  learners_.emplace(Learners{{ctx_, "actor_target", target},
                             {ctx_, "critic", critic_spec(shared_, inputs_, critic_out, 1)},
                             {ctx_, "critic_target", critic_spec(shared_, inputs_, critic_out, 0)}});
  learners_->actor_target.blend(actor_, 1.0);
  learners_->critic_target.blend(learners_->critic, 1.0);

  actor_adam_.lr = shared_.actor_lr;
  actor_adam_.max_grad_norm = shared_.max_grad_norm_actor;
  critic_adam_.lr = shared_.critic_lr;
  critic_adam_.max_grad_norm = shared_.max_grad_norm_critic;
  const auto batch = static_cast<size_t>(shared_.batch_size);
  for (auto* v : {&mu_, &d_mu_}) v->resize(batch * static_cast<size_t>(n_actions_));
  ones_.assign(batch, 1.0F);
  error_.resize(batch);
  actor_loss_ = ctx_.metric("loss/actor");
  critic_loss_ = ctx_.metric("loss/critic");
  q_mean_ = ctx_.metric("q/mean");
  actor_norm_ = ctx_.metric("grad_norm/actor");
  critic_norm_ = ctx_.metric("grad_norm/critic");
}

void ActorCritic::needs(spar_needs& out) const {
  common::need_replay(shared_, out);
  out.gamma = shared_.gamma;
  common::need_transforms(shared_, out);
}

void ActorCritic::act(const spar_act& how, const spar_batch& obs, spar_batch& out) {
  if (how.mode == SPAR_MODE_TARGET && !learners_)
    throw StatusError(SPAR_E_STATE, "an acting copy has no target network: ask the instance that learns");
  const auto action = spar::column<float>(out, "action");
  policy(how.mode == SPAR_MODE_TARGET ? learners_->actor_target : actor_, kForget, action,
         spar::ColumnView(obs, "obs"));
  if (how.mode == SPAR_MODE_EXPLORE) exploration_.add_to(action, how, obs, ctx_);
}

Transitions ActorCritic::transitions(const spar_batch& batch) const {
  const uint64_t rows = batch.rows;
  return {rows,
          spar::ColumnView(batch, "obs"),
          spar::ColumnView(batch, "next_obs"),
          inputs_.seen(batch),
          inputs_.next_seen(batch),
          inputs_.action(batch),
          inputs_.next_action(batch),
          {spar::column<float>(batch, "reward").data, rows},
          {spar::column<float>(batch, "discount").data, rows},
          {batch.weight ? batch.weight : ones_.data(), rows}};
}

const spar_batch& ActorCritic::given(const spar_batch& batch) const {
  if (!learners_)
    throw StatusError(SPAR_E_STATE, "an acting copy has no critic: ask the instance that learns for its losses");
  spar::require_rows(batch, static_cast<uint64_t>(shared_.batch_size));
  return batch;
}

void ActorCritic::policy(const spar::Network& net, uint32_t slot, const Tensor& action,
                         const spar::ColumnView& obs) const {
  net.forward(slot, action, obs);
  if (action_scale_ == 1) return;
  auto* a = static_cast<float*>(action.tensor.data);
  const auto n = static_cast<size_t>(action.shape[0] * action.shape[1]);
  for (size_t i = 0; i < n; ++i) a[i] *= static_cast<float>(action_scale_);
}

void ActorCritic::policy_backward(uint32_t slot, const Tensor& d_action) const {
  auto* d = static_cast<float*>(d_action.tensor.data);
  const auto n = static_cast<size_t>(d_action.shape[0] * d_action.shape[1]);
  for (size_t i = 0; i < n; ++i) d[i] *= static_cast<float>(action_scale_);
  actor_.backward(slot, d_action);
}

}  // namespace deterministic
