// The distribution over actions that the outputs of the policy's network stand for: logits of discrete actions, or
// means of continuous ones in units of [-1, 1].
#pragma once

#include <memory>

#include "options.hpp"
#include "spar/network.hpp"

namespace ppo {

class Policy {
 public:
  virtual ~Policy() = default;

  /// Numbers that the network gives for one state.
  virtual int64_t outputs() const = 0;

  /// Writes the column "action" for outputs [rows, n], which are used up: a draw, or the most likely action. Continuous
  /// actions are written as they were drawn; the host clamps the environment's copy only.
  virtual void choose(const spar_batch& obs, bool greedy, float* outputs, spar_batch& out) = 0;

  /// The actions of rows[0] .. rows[n - 1] of a rollout, and their masks: what the two calls below are about.
  virtual void take(const spar_batch& rollout, const uint64_t* rows, size_t n) = 0;

  /// log pi(a_i | s_i) for outputs [n, ..], which are used up; returns the mean entropy.
  virtual double log_prob(float* outputs, float* log_prob) = 0;

  /// Of the last log_prob(): gradient with respect to the outputs of a loss with the slopes dlog_prob [n] and, on each
  /// row's entropy, dentropy. Adds the gradient of beside() to that network.
  virtual void gradient(const float* dlog_prob, double dentropy, float* doutputs) = 0;

  /// What the policy learns beside the network of its outputs, to be updated with it; nullptr: nothing.
  virtual const spar::Network* beside() const { return nullptr; }
};

/// Discrete: categorical, masks honoured. Box: independent Gaussians whose log standard deviations are one free vector,
/// the network "log_std". `batch`: most rows of take(). Throws SPAR_E_INVALID for any other space.
std::unique_ptr<Policy> make_policy(const spar::Context& ctx, const Options& options, const spar_space& space,
                                    uint64_t batch);

}  // namespace ppo
