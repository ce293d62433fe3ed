#include "policy.hpp"

#include <cmath>

#include "spar/rl/tanh_gaussian.hpp"

namespace sac {
namespace {

using Tensor = spar::TensorView<float>;

/// The first n numbers.
template <class T>
spar::rl::View<T> first(std::vector<T>& v, uint64_t n) {
  return {v.data(), n};
}

spar::NetworkSpec network_spec(const Options& options, const spar::InputSpec& obs, int64_t n_actions,
                               uint64_t max_rows) {
  spar::NetworkSpec spec;
  spec.inputs = {obs};
  spec.hidden = options.actor_hidden_layers.value_or(options.hidden_layers);
  spec.out = 2 * n_actions;
  spec.slots = 1;
  spec.max_rows = max_rows;
  options.place(spec);
  return spec;
}

}  // namespace

Draw::Draw(uint64_t most, uint64_t n) : output(most * 2 * n), log_prob(most) {
  for (auto* v : {&mean, &raw_log_std, &log_std, &noise, &squashed, &action, &dmean, &dlog_std}) v->resize(most * n);
}

Policy::Policy(const spar::Context& ctx, const Options& options, const spar::InputSpec& obs, int64_t n_actions,
               uint64_t max_rows)
    : ctx_(ctx),
      n_actions_(n_actions),
      action_scale_(static_cast<float>(options.action_scale)),
      network_(ctx, "actor", network_spec(options, obs, n_actions, max_rows)),
      normals_(max_rows * static_cast<uint64_t>(n_actions)) {}

void Policy::forward(uint32_t slot, const spar::ColumnView& obs, Draw& draw) const {
  draw.rows = static_cast<uint64_t>(obs.tensor.shape[0]);
  network_.forward(slot, Tensor(draw.output.data(), obs.tensor.shape[0], 2 * n_actions_), obs);
  const auto n = static_cast<size_t>(n_actions_);
  for (size_t i = 0; i < draw.rows; ++i) {
    for (size_t j = 0; j < n; ++j) {
      draw.mean[i * n + j] = draw.output[i * 2 * n + j];
      draw.raw_log_std[i * n + j] = draw.output[i * 2 * n + n + j];
    }
  }
}

void Policy::sample(uint32_t slot, const spar::ColumnView& obs, Draw& draw) const {
  forward(slot, obs, draw);
  const uint64_t numbers = draw.rows * static_cast<uint64_t>(n_actions_);
  ctx_.normals(normals_.data(), numbers);
  for (uint64_t i = 0; i < numbers; ++i) draw.noise[i] = static_cast<float>(normals_[i]);
  spar::rl::clamp_log_std(first(draw.raw_log_std, numbers), kLeastLogStd, kMostLogStd, first(draw.log_std, numbers));
  spar::rl::tanh_gaussian_sample(first(draw.mean, numbers), first(draw.log_std, numbers), first(draw.noise, numbers),
                                 first(draw.squashed, numbers), first(draw.log_prob, draw.rows));
  for (uint64_t i = 0; i < numbers; ++i) draw.action[i] = action_scale_ * draw.squashed[i];
}

void Policy::mode(const spar::ColumnView& obs, Draw& draw) const {
  forward(0, obs, draw);
  const uint64_t numbers = draw.rows * static_cast<uint64_t>(n_actions_);
  for (uint64_t i = 0; i < numbers; ++i) draw.action[i] = action_scale_ * std::tanh(draw.mean[i]);
}

void Policy::backward(uint32_t slot, std::vector<float>& daction, const std::vector<float>& dlog_prob,
                      Draw& draw) const {
  const auto n = static_cast<size_t>(n_actions_);
  const uint64_t numbers = draw.rows * n;
  for (uint64_t i = 0; i < numbers; ++i) daction[i] *= action_scale_;
  spar::rl::tanh_gaussian_gradient(first(draw.log_std, numbers), first(draw.noise, numbers),
                                   first(draw.squashed, numbers), first(daction, numbers),
                                   spar::rl::View<const float>(dlog_prob.data(), draw.rows), first(draw.dmean, numbers),
                                   first(draw.dlog_std, numbers));
  spar::rl::clamp_log_std_gradient(first(draw.raw_log_std, numbers), kLeastLogStd, kMostLogStd,
                                   first(draw.dlog_std, numbers));
  for (size_t i = 0; i < draw.rows; ++i) {
    for (size_t j = 0; j < n; ++j) {
      draw.output[i * 2 * n + j] = draw.dmean[i * n + j];
      draw.output[i * 2 * n + n + j] = draw.dlog_std[i * n + j];
    }
  }
  network_.backward(slot, Tensor(draw.output.data(), static_cast<int64_t>(draw.rows), 2 * n_actions_));
}

}  // namespace sac
