#include "dqn.hpp"

#include <algorithm>
#include <cmath>

#include "../common/means.hpp"
#include "spar/rl/losses.hpp"
#include "spar/rl/targets.hpp"

namespace dqn {

using spar::rl::View;
using value_learning::kForget, value_learning::kKeep;

Dqn::Dqn(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
    : Algorithm("DQN", ctx, options, setup, 1), huber_(options.loss == "huber") {
  const auto n = static_cast<size_t>(n_actions_), batch = static_cast<size_t>(options_.batch_size);
  q_act_.resize(setup.max_rows * n);
  for (auto* q : {&q_, &q_next_, &q_target_next_, &dq_}) q->resize(batch * n);
  for (auto* v : {&taken_, &target_value_, &slope_, &error_}) v->resize(batch);
}

void Dqn::act(const spar_act& how, const spar_batch& obs, spar_batch& out) {
  forward_to_act(how, obs, q_act_);
  choose(how, obs, q_act_, out);
}

void Dqn::value(const spar_batch& batch) {
  const uint64_t rows = batch.rows;
  const auto n = static_cast<size_t>(n_actions_);
  const spar::ColumnView obs(batch, "obs"), next_obs(batch, "next_obs");
  const auto action = spar::column<int64_t>(batch, "action");
  const auto next_mask = spar::optional_column<uint8_t>(batch, "next_action_mask");
  const View<const float> reward(spar::column<float>(batch, "reward").data, rows),
      discount(spar::column<float>(batch, "discount").data, rows);
  const auto all = [&](Floats& v) { return View<float>(v.data(), rows * n); };
  const View<float> target(target_value_.data(), rows);

  // y = R + gamma^k (1 - terminated) Q'(s', argmax_a Q(s', a)); without double Q-learning the target network chooses
  // too.
  target_.forward(kForget, tensor(q_target_next_, rows), next_obs);
  if (options_.using_double_q) {
    online_.forward(kForget, tensor(q_next_, rows), next_obs);
    value_learning::forbid(next_mask, q_next_.data());
    spar::rl::double_dqn_targets(reward, discount, all(q_next_), all(q_target_next_), target);
  } else {
    value_learning::forbid(next_mask, q_target_next_.data());
    spar::rl::dqn_targets(reward, discount, all(q_target_next_), target);
  }

  online_.forward(kKeep, tensor(q_, rows), obs);
  for (uint64_t i = 0; i < rows; ++i) taken_[i] = q_[i * n + static_cast<size_t>(action(i))];
}

/// Calls use(l) with the loss of one temporal difference that the options choose.
template <class Use>
double Dqn::by_loss(Use&& use) const {
  return huber_ ? use(spar::rl::HuberError{}) : use(spar::rl::SquaredError{});
}

void Dqn::learn(uint64_t step) {
  const spar::Sample batch = sample();
  const uint64_t rows = batch.rows();
  const auto n = static_cast<size_t>(n_actions_);
  const auto action = batch.column<int64_t>("action");
  const auto per_row = [&](Floats& v) { return View<float>(v.data(), rows); };

  // L = 1/B sum_i w_i l(Q(s_i, a_i) - y_i), by each action taken only
  resample();
  value(batch.batch());
  const double loss = by_loss([&](const auto& l) {
    spar::rl::mean_loss_gradient(l, per_row(taken_), per_row(target_value_), weights_of(batch.batch()),
                                 per_row(slope_));
    return spar::rl::mean_loss(l, per_row(taken_), per_row(target_value_), weights_of(batch.batch()));
  });
  std::fill(dq_.begin(), dq_.end(), 0.0F);
  for (uint64_t i = 0; i < rows; ++i) dq_[i * n + static_cast<size_t>(action(i))] = slope_[i];
  online_.backward(kKeep, tensor(dq_, rows));

  loss_metric_.record(step, loss);  // before the step, which refuses a gradient that is not finite
  const double norm = descend();

  // p_i = |Q(s_i, a_i) - y_i|
  for (uint64_t i = 0; i < rows; ++i) error_[i] = std::abs(taken_[i] - target_value_[i]);
  if (options_.prioritized) batch.set_priorities(error_.data());

  q_metric_.record(step, common::mean(per_row(taken_)));
  norm_metric_.record(step, norm);
}

double Dqn::value_loss(const spar_batch& batch) {
  spar::require_rows(batch, static_cast<uint64_t>(options_.batch_size));
  value(batch);
  return by_loss([&](const auto& l) {
    return spar::rl::mean_loss(l, View<float>(taken_.data(), batch.rows), View<float>(target_value_.data(), batch.rows),
                               weights_of(batch));
  });
}

}  // namespace dqn
