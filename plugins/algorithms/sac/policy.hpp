// The stochastic policy: pi(a|s) is a Gaussian squashed by tanh, its mean and log standard deviation given by one
// network.
#pragma once

#include <vector>

#include "options.hpp"
#include "spar/network.hpp"

namespace sac {

/// What a batch of sampled actions needs for its way back: rows x n numbers unless said.
struct Draw {
  uint64_t rows = 0;
  std::vector<float> output;  ///< of the network, [rows, 2 n]: mean and raw log standard deviation
  std::vector<float> mean, raw_log_std, log_std, noise;
  std::vector<float> squashed;  ///< tanh(mean + std noise)
  std::vector<float> action;    ///< squashed times action_scale: what critics and environments see
  std::vector<float> log_prob;  ///< [rows], density of the squashed action
  std::vector<float> dmean, dlog_std;

  Draw(uint64_t most, uint64_t n);
};

/// Bounds of log std (Haarnoja et al. 2018, published settings); no gradient passes outside.
constexpr double kLeastLogStd = -20, kMostLogStd = 2;

class Policy {
 public:
  Policy(const spar::Context& ctx, const Options& options, const spar::InputSpec& obs, int64_t n_actions,
         uint64_t max_rows);

  /// a ~ pi(.|s) for rows of obs, into `draw`. Slot 0 keeps nothing for backward.
  void sample(uint32_t slot, const spar::ColumnView& obs, Draw& draw) const;
  /// action_scale tanh(mean): draws no noise.
  void mode(const spar::ColumnView& obs, Draw& draw) const;
  /// Adds the gradients of a loss with the slopes daction [rows, n] of the actions and dlog_prob [rows] of their
  /// log-probabilities; daction is used up.
  void backward(uint32_t slot, std::vector<float>& daction, const std::vector<float>& dlog_prob, Draw& draw) const;

  const spar::Network& network() const { return network_; }

 private:
  void forward(uint32_t slot, const spar::ColumnView& obs, Draw& draw) const;

  spar::Context ctx_;
  int64_t n_actions_;
  float action_scale_;
  spar::Network network_;
  mutable std::vector<double> normals_;  // [max_rows, n_actions]
};

}  // namespace sac
