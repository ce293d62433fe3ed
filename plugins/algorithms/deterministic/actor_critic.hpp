// What deterministic actor-critics share: a policy mu(s) in [-1, 1], a critic of {s, a}, a target of each, acting, the
// data they need, their state. Learning is the algorithm's own.
#pragma once

#include <optional>
#include <vector>

#include "../common/critic_inputs.hpp"
#include "exploration.hpp"
#include "shared_options.hpp"
#include "spar/algorithm.hpp"
#include "spar/network.hpp"
#include "spar/rl/view.hpp"

namespace deterministic {

using Tensor = spar::TensorView<float>;

/// A batch with its columns by name: observations as they are, what the critic sees, actions as it takes them (those of
/// the team if it is central) and what the others of the team do next, 1 number.
struct Transitions {
  uint64_t rows;
  spar::ColumnView obs, next_obs, seen, next_seen;
  spar::Matrix<float> action, next_action;
  spar::rl::View<const float> reward, discount, weight;
};

/// The first `n` numbers.
inline spar::rl::View<float> first(std::vector<float>& v, uint64_t n) { return {v.data(), n}; }

class ActorCritic : public spar::Algorithm {
 public:
  static constexpr const char* kServices[] = {SPAR_SVC_NN, SPAR_SVC_BUFFER, SPAR_SVC_EXEC, SPAR_SVC_RNG};
  static constexpr uint32_t kFlags = SPAR_ALGO_CONTINUOUS | SPAR_ALGO_HOSTED_NETWORKS | SPAR_ALGO_CENTRAL_CRITIC;

  void needs(spar_needs& out) const;
  /// Writes clamped actions; explores in SPAR_MODE_EXPLORE only. how.epsilon, if given, replaces the scale of the
  /// noise.
  void act(const spar_act& how, const spar_batch& obs, spar_batch& out);
  void save(spar::StreamWriter& writer) const { exploration_.save(writer); }
  void load(spar::StreamReader& reader) { exploration_.load(reader); }

 protected:
  /// `name` for messages ("DDPG"); the critic has `critic_out` outputs; mu(s) = action_scale * the network's. Throws
  /// SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that cannot be served.
  ActorCritic(const spar::Context& ctx, const char* name, const Options& options, const spar_algo_setup& setup,
              int64_t critic_out, double action_scale);

  /// The networks that only a learning instance has.
  struct Learners {
    spar::Network actor_target, critic, critic_target;
  };

  Transitions transitions(const spar_batch& batch) const;
  /// The batch itself, if its losses can be told. Throws SPAR_E_INVALID or SPAR_E_STATE.
  const spar_batch& given(const spar_batch& batch) const;
  /// action = mu(obs), [rows, n_actions]; slot 0 keeps nothing.
  void policy(const spar::Network& net, uint32_t slot, const Tensor& action, const spar::ColumnView& obs) const;
  /// Passes dL/d mu(s) on to the actor's parameters; scales d_action in place.
  void policy_backward(uint32_t slot, const Tensor& d_action) const;
  /// The first `rows` rows of memory for a batch.
  Tensor matrix(std::vector<float>& v, uint64_t rows) const {
    return {v.data(), static_cast<int64_t>(rows), static_cast<int64_t>(v.size()) / shared_.batch_size};
  }

  static constexpr uint32_t kForget = 0, kKeep = 1;  // activation slots

  spar::Context ctx_;
  Options shared_;
  spar::InputSpec observation_;
  int64_t n_actions_;
  double action_scale_;
  common::CriticInputs inputs_;
  spar::Network actor_;
  Exploration exploration_;
  std::optional<Learners> learners_;
  spar::Adam actor_adam_, critic_adam_;
  std::vector<float> mu_, d_mu_;     // [batch, n_actions]: mu of some observations, and a gradient of the loss
  std::vector<float> ones_, error_;  // [batch]
  spar::Metric actor_loss_, critic_loss_, q_mean_, actor_norm_, critic_norm_;
};

}  // namespace deterministic
