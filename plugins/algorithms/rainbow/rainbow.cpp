#include "rainbow.hpp"

#include <algorithm>
#include <cstdio>

#include "../common/means.hpp"
#include "spar/rl/targets.hpp"

namespace rainbow {
namespace {

using spar::rl::View;
using value_learning::kForget, value_learning::kKeep;

spar::rl::Support support_of(const Options& options) {
  if (!(options.v_min < options.v_max))
    throw spar::StatusError(SPAR_E_INVALID, "v_min is " + spar::detail::json(options.v_min) +
                                                ", expected less than v_max, which is " +
                                                spar::detail::json(options.v_max));
  return {options.v_min, options.v_max, static_cast<size_t>(options.num_atoms)};
}

/// Row i of `to` = the atoms of action(i) in row i of `from` [rows, n_actions, atoms].
void gather(const std::vector<float>& from, size_t outputs, size_t atoms, uint64_t row, size_t action,
            std::vector<float>& to) {
  std::copy_n(from.data() + row * outputs + action * atoms, atoms, to.data() + row * atoms);
}

}  // namespace

Rainbow::Rainbow(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
    : Algorithm("Rainbow", ctx, options, setup, options.num_atoms), z_(support_of(options)) {
  const auto n = static_cast<size_t>(n_actions_), batch = static_cast<size_t>(options_.batch_size);
  logits_act_.resize(setup.max_rows * n_outputs());
  q_act_.resize(setup.max_rows * n);
  for (auto* v : {&logits_, &logits_next_, &logits_target_next_, &dlogits_}) v->resize(batch * n_outputs());
  p_.resize(std::max(logits_.size(), logits_act_.size()));
  q_next_.resize(batch * n);
  for (auto* v : {&taken_, &p_next_, &m_, &slope_}) v->resize(batch * z_.size());
  for (auto* v : {&error_, &q_taken_}) v->resize(batch);
  if (setup.role == SPAR_ROLE_TRAIN) clip_metric_ = ctx_.metric("targets/clipped");
}

void Rainbow::expected_values(const Floats& logits, uint64_t rows, Floats& q) {
  const View<float> p(p_.data(), rows * n_outputs());
  spar::rl::softmax(View<const float>(logits.data(), p.size()), z_.size(), p);
  spar::rl::expectation(z_, p, View<float>(q.data(), rows * static_cast<size_t>(n_actions_)));
}

void Rainbow::act(const spar_act& how, const spar_batch& obs, spar_batch& out) {
  forward_to_act(how, obs, logits_act_);
  expected_values(logits_act_, obs.rows, q_act_);
  choose(how, obs, q_act_, out);
}

size_t Rainbow::distribution(const spar_batch& batch) {
  const uint64_t rows = batch.rows;
  const auto n = static_cast<size_t>(n_actions_);
  const spar::ColumnView obs(batch, "obs"), next_obs(batch, "next_obs");
  const auto action = spar::column<int64_t>(batch, "action");
  const View<const float> reward(spar::column<float>(batch, "reward").data, rows),
      discount(spar::column<float>(batch, "discount").data, rows);
  const View<float> p_next(p_next_.data(), rows * z_.size()), m(m_.data(), rows * z_.size());

  // a* = argmax_a E[Z(s', a)]; without double Q-learning the target network chooses too.
  target_.forward(kForget, tensor(logits_target_next_, rows), next_obs);
  if (options_.using_double_q) online_.forward(kForget, tensor(logits_next_, rows), next_obs);
  expected_values(options_.using_double_q ? logits_next_ : logits_target_next_, rows, q_next_);
  value_learning::forbid(spar::optional_column<uint8_t>(batch, "next_action_mask"), q_next_.data());

  // m = Phi(R + gamma^k (1 - terminated) z) with the probabilities of Z'(s', a*) (Hessel et al. 2018, eq. 3)
  for (uint64_t i = 0; i < rows; ++i)
    gather(logits_target_next_, n_outputs(), z_.size(), i, spar::rl::argmax(&q_next_[i * n], n), p_next_);
  spar::rl::softmax(p_next, z_.size(), p_next);
  const size_t clipped = spar::rl::project(z_, reward, discount, p_next, m);

  online_.forward(kKeep, tensor(logits_, rows), obs);
  for (uint64_t i = 0; i < rows; ++i)
    gather(logits_, n_outputs(), z_.size(), i, static_cast<size_t>(action(i)), taken_);
  return clipped;
}

void Rainbow::learn(uint64_t step) {
  const spar::Sample batch = sample();
  const uint64_t rows = batch.rows();
  const size_t atoms = z_.size();
  const auto action = batch.column<int64_t>("action");
  const auto per_row = [&](Floats& v) { return View<float>(v.data(), rows); };
  const auto per_atom = [&](Floats& v) { return View<float>(v.data(), rows * atoms); };

  // L = 1/B sum_i w_i H(m_i, Z(s_i, a_i)) with H(m, p) = -sum_j m_j log p_j, by each action taken only
  resample();
  const size_t clipped = distribution(batch.batch());
  spar::rl::cross_entropy_gradient(per_atom(m_), per_atom(taken_), weights_of(batch.batch()), per_row(error_),
                                   per_atom(slope_));
  std::fill(dlogits_.begin(), dlogits_.end(), 0.0F);
  for (uint64_t i = 0; i < rows; ++i)
    std::copy_n(&slope_[i * atoms], atoms, &dlogits_[i * n_outputs() + static_cast<size_t>(action(i)) * atoms]);
  online_.backward(kKeep, tensor(dlogits_, rows));

  loss_metric_.record(
      step, common::weighted_mean(per_row(error_), weights_of(batch.batch())));  // before a step that may fail
  const double norm = descend();

  // p_i = H(m_i, Z(s_i, a_i))
  if (options_.prioritized) batch.set_priorities(error_.data());

  spar::rl::softmax(per_atom(taken_), atoms, per_atom(taken_));
  spar::rl::expectation(z_, per_atom(taken_), per_row(q_taken_));
  q_metric_.record(step, common::mean(per_row(q_taken_)));
  norm_metric_.record(step, norm);
  watch_support(step, clipped, rows);
}

void Rainbow::watch_support(uint64_t step, uint64_t clipped, uint64_t targets) {
  clip_metric_.record(step, static_cast<double>(clipped) / static_cast<double>(targets));
  if (const auto share = clip_watch_.add(clipped, targets)) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.1f %%", 100 * *share);
    ctx_.log(SPAR_LOG_WARN, std::string(percent) + " of the targets lie outside the support [" +
                                spar::detail::json(z_.v_min()) + ", " + spar::detail::json(z_.v_max()) +
                                "] and are learnt as its ends: widen v_min and v_max, scale the rewards "
                                "(reward_transform = \"scale(x)\") or lower gamma");
  }
}

double Rainbow::value_loss(const spar_batch& batch) {
  spar::require_rows(batch, static_cast<uint64_t>(options_.batch_size));
  distribution(batch);
  const View<float> loss(error_.data(), batch.rows);
  spar::rl::cross_entropy(View<float>(m_.data(), batch.rows * z_.size()),
                          View<float>(taken_.data(), batch.rows * z_.size()), loss);
  return common::weighted_mean(loss, weights_of(batch));
}

void Rainbow::save(spar::StreamWriter& writer) const {
  Algorithm::save(writer);
  clip_watch_.save(writer);
}

void Rainbow::load(spar::StreamReader& reader) {
  Algorithm::load(reader);
  clip_watch_.load(reader);
}

}  // namespace rainbow
