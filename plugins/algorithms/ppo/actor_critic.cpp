#include "actor_critic.hpp"

#include <algorithm>
#include <cmath>

namespace ppo {
namespace {

using Tensor = spar::TensorView<float>;

constexpr double kPolicyGain = 0.01;  // nearly uniform at the start

spar::NetworkSpec network_spec(const Options& options, const spar::InputSpec& obs, std::vector<int64_t> hidden,
                               double last_gain, uint64_t max_rows) {
  spar::NetworkSpec spec;
  spec.inputs = {obs};
  spec.hidden = std::move(hidden);
  spec.activation = options.activation;
  if (options.orthogonal) {
    spec.init = "orthogonal";
    spec.gain = std::sqrt(2.0);
    spec.last_gain = last_gain;
  }
  spec.slots = 1;
  spec.max_rows = max_rows;
  options.place(spec);
  return spec;
}

spar::NetworkSpec actor_spec(const Options& options, const spar::InputSpec& obs, int64_t n_outputs, uint64_t max_rows) {
  if (!options.shared_trunk) {
    auto spec =
        network_spec(options, obs, options.actor_hidden_layers.value_or(options.hidden_layers), kPolicyGain, max_rows);
    spec.out = n_outputs;
    return spec;
  }
  auto spec = network_spec(options, obs, options.hidden_layers, kPolicyGain, max_rows);
  spec.out = n_outputs + 1;
  spec.heads = {{n_outputs, options.actor_hidden_layers.value_or(std::vector<int64_t>{})},
                {1, options.critic_hidden_layers.value_or(std::vector<int64_t>{})}};
  return spec;
}

}  // namespace

ActorCritic::ActorCritic(const spar::Context& ctx, const Options& options, const spar::InputSpec& obs,
                         const spar::InputSpec& seen, int64_t n_outputs, uint64_t max_rows, bool with_values)
    : n_outputs_(n_outputs),
      shared_(options.shared_trunk),
      actor_(ctx, shared_ ? "actor_critic" : "actor", actor_spec(options, obs, n_outputs, max_rows)) {
  if (shared_) {
    joint_.resize(max_rows * static_cast<uint64_t>(n_outputs + 1));
  } else if (with_values) {
    critic_.emplace(
        ctx, "critic",
        network_spec(options, seen, options.critic_hidden_layers.value_or(options.hidden_layers), 1.0, max_rows));
  }
}

void ActorCritic::forward(uint32_t slot, const ObservationView& x, float* outputs, float* values) {
  const int64_t n = x.shape[0];
  if (!shared_) {
    if (outputs) actor_.forward(slot, Tensor(outputs, n, n_outputs_), x);
    if (values) critic_->forward(slot, Tensor(values, n, 1), x);
    return;
  }
  const auto width = static_cast<size_t>(n_outputs_);
  actor_.forward(slot, Tensor(joint_.data(), n, n_outputs_ + 1), x);
  for (uint64_t i = 0; i < static_cast<uint64_t>(n); ++i) {
    const float* row = joint_.data() + i * (width + 1);
    if (outputs) std::copy_n(row, width, outputs + i * width);
    if (values) values[i] = row[width];
  }
}

void ActorCritic::backward(uint64_t rows, float* doutputs, float* dvalues) {
  const auto n = static_cast<int64_t>(rows);
  if (!shared_) {
    if (doutputs) actor_.backward(kKeep, Tensor(doutputs, n, n_outputs_));
    if (dvalues) critic_->backward(kKeep, Tensor(dvalues, n, 1));
    return;
  }
  const auto width = static_cast<size_t>(n_outputs_);
  for (uint64_t i = 0; i < rows; ++i) {
    float* row = joint_.data() + i * (width + 1);
    if (doutputs)
      std::copy_n(doutputs + i * width, width, row);
    else
      std::fill_n(row, width, 0.0F);
    row[width] = dvalues ? dvalues[i] : 0.0F;
  }
  actor_.backward(kKeep, Tensor(joint_.data(), n, n_outputs_ + 1));
}

}  // namespace ppo
