// The policy's outputs and the values of states: two networks, or one with a common trunk and two heads.
#pragma once

#include <optional>
#include <vector>

#include "observations.hpp"
#include "options.hpp"
#include "spar/network.hpp"

namespace ppo {

constexpr uint32_t kForget = 0, kKeep = 1;  ///< activation slots

class ActorCritic {
 public:
  /// Networks "actor" and "critic", or "actor_critic" if options.shared_trunk. obs: one observation; seen: what values
  /// are of, the same but for a central critic. n_outputs: of the policy. max_rows: of one forward. with_values false:
  /// an instance that only acts has no network of its own for values.
  ActorCritic(const spar::Context& ctx, const Options& options, const spar::InputSpec& obs, const spar::InputSpec& seen,
              int64_t n_outputs, uint64_t max_rows, bool with_values);

  /// Of obs [rows, ..]: outputs [rows, n_outputs] and values [rows]; nullptr where not wanted. A central critic is
  /// asked by itself, with what it sees.
  void forward(uint32_t slot, const ObservationView& obs, float* outputs, float* values);
  /// Adds the parameter gradients of what kKeep keeps for doutputs and dvalues, nullptr where there are none.
  void backward(uint64_t rows, float* doutputs, float* dvalues);

  const spar::Network& actor() const { return actor_; }     ///< of the policy, or of both
  const spar::Network& critic() const { return *critic_; }  ///< precondition: not shared

 private:
  int64_t n_outputs_;
  bool shared_;
  spar::Network actor_;
  std::optional<spar::Network> critic_;
  std::vector<float> joint_;  ///< [max_rows, n_outputs + 1] of the shared network
};

}  // namespace ppo
