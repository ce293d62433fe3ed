// Deep deterministic policy gradient (Lillicrap et al., "Continuous control with deep reinforcement learning", 2016).
#pragma once

#include "../deterministic/actor_critic.hpp"
#include "options.hpp"

namespace ddpg {

class Ddpg : public deterministic::ActorCritic {
 public:
  static constexpr const char *id = "org.spar.ddpg", *version = "1.0.0", *title = "Deep deterministic policy gradient";
  static constexpr const char* doc =
      "Deterministic actor-critic for continuous actions: Gaussian or Ornstein-Uhlenbeck noise, soft target copies, "
      "uniform or prioritised replay.";
  static const spar::Schema<Options>& schema() { return ddpg::schema(); }

  /// Throws SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that DDPG cannot serve.
  Ddpg(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup);

  void learn(uint64_t step);
  double policy_loss(const spar_batch& batch);
  double value_loss(const spar_batch& batch);

 private:
  double critic_loss(const deterministic::Transitions& batch);  // fills q_ and y_; what backward needs is kept
  double actor_loss(const deterministic::Transitions& batch);   // fills q_; what backward needs is kept

  std::vector<float> q_, q_next_, y_, dq_;  // [batch]
};

}  // namespace ddpg
