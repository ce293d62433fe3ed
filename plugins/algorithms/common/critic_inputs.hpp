// What a critic takes in: observation and action of its own agent or, where the host asks for a central critic, the
// state and the actions of the whole team (Lowe et al., "Multi-agent actor-critic for mixed cooperative-competitive
// environments", 2017).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "spar/network_options.hpp"

namespace common {

/// Does the host ask for a central critic?
inline bool is_central(const spar_algo_setup& setup) {
  return SPAR_HAS(&setup, spar_algo_setup, state);  // NOLINT(bugprone-sizeof-expression): a pointer's is meant
}

/// What a critic sees instead of observations `obs`. Throws SPAR_E_UNSUPPORTED for networks that take no plain numbers;
/// `algorithm`: for the message.
inline spar::InputSpec seen_by_critic(const char* algorithm, const spar::NetworkOptions& options,
                                      const spar_algo_setup& setup, const spar::InputSpec& obs) {
  if (!is_central(setup)) return obs;
  if (options.network != "mlp")
    throw spar::StatusError(SPAR_E_UNSUPPORTED, std::string(algorithm) +
                                                    " with a central critic sees the state of a team as plain "
                                                    "numbers, found network = \"" +
                                                    options.network + "\": use network = \"mlp\"");
  return {spar::space_width(*setup.state)};
}

class CriticInputs {
 public:
  using Tensor = spar::TensorView<float>;
  using Matrix = spar::Matrix<float>;

  /// obs, n_actions: of the agent; rows: of a batch, 0 where nothing is learnt.
  CriticInputs(const char* algorithm, const spar::NetworkOptions& options, const spar_algo_setup& setup,
               const spar::InputSpec& obs, int64_t n_actions, uint64_t rows)
      : seen_(seen_by_critic(algorithm, options, setup, obs)),
        central_(is_central(setup)),
        width_(central_ ? setup.joint_width : static_cast<uint64_t>(n_actions)),
        offset_(central_ ? setup.own_offset : 0),
        own_(static_cast<uint64_t>(n_actions)) {
    if (!central_) return;
    joint_.resize(rows * width_);
    slope_.resize(rows * width_);
  }

  std::vector<spar::InputSpec> specs() const { return {seen_, static_cast<int64_t>(width_)}; }

  spar::ColumnView seen(const spar_batch& batch) const { return {batch, central_ ? "state" : "obs"}; }
  spar::ColumnView next_seen(const spar_batch& batch) const { return {batch, central_ ? "next_state" : "next_obs"}; }
  Matrix action(const spar_batch& batch) const { return column(batch, central_ ? "joint_action" : "action"); }
  /// What the others do next; without a central critic nothing.
  Matrix next_action(const spar_batch& batch) const {
    return central_ ? column(batch, "next_joint_action") : Matrix{nullptr, batch.rows, 0};
  }

  /// `all` with `own` [rows, n_actions] in the place of this agent's action, valid until the next call; without a
  /// central critic `own` itself.
  Tensor with(const Matrix& all, const Tensor& own) {
    if (!central_) return own;
    std::copy_n(all.data, all.rows * width_, joint_.data());
    const auto* from = static_cast<const float*>(own.tensor.data);
    for (uint64_t i = 0; i < all.rows; ++i) std::copy_n(from + i * own_, own_, &joint_[i * width_ + offset_]);
    return {joint_.data(), static_cast<int64_t>(all.rows), static_cast<int64_t>(width_)};
  }
  /// Where the critic's gradient with respect to with(..) goes: without a central critic `d_own` itself.
  Tensor slope(const Tensor& d_own) {
    if (!central_) return d_own;
    return {slope_.data(), d_own.shape[0], static_cast<int64_t>(width_)};
  }
  /// Takes from it the part of this agent's action.
  void take_own(const Tensor& d_own) const {
    if (!central_) return;
    auto* to = static_cast<float*>(d_own.tensor.data);
    for (uint64_t i = 0; i < static_cast<uint64_t>(d_own.shape[0]); ++i)
      std::copy_n(&slope_[i * width_ + offset_], own_, to + i * own_);
  }

 private:
  Matrix column(const spar_batch& batch, const char* name) const {
    const Matrix found = spar::column<float>(batch, name);
    if (found.width == width_) return found;
    throw spar::StatusError(SPAR_E_INVALID, "column `" + std::string(name) + "` has rows of " +
                                                std::to_string(found.width) + " numbers, expected " +
                                                std::to_string(width_));
  }

  spar::InputSpec seen_;
  bool central_;
  uint64_t width_, offset_, own_;     // numbers of the actions the critic takes; where the agent's own begin; of these
  std::vector<float> joint_, slope_;  // [batch, width]
};

}  // namespace common
