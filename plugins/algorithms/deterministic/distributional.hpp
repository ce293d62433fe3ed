// Deterministic actor-critic with a distributional critic (Barth-Maron et al., "Distributed distributional
// deterministic policy gradients", 2018): what D3PG and D4PG share, which is all but the number of actors.
#pragma once

#include "../common/clip_watch.hpp"
#include "actor_critic.hpp"
#include "distributional_options.hpp"
#include "spar/rl/categorical.hpp"

namespace deterministic {

class Distributional : public ActorCritic {
 public:
  void needs(spar_needs& out) const;
  void learn(uint64_t step);
  double policy_loss(const spar_batch& batch);
  double value_loss(const spar_batch& batch);
  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 protected:
  /// `name` for messages. Throws SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that cannot be served.
  Distributional(const spar::Context& ctx, const char* name, const DistributionalOptions& options,
                 const spar_algo_setup& setup);

 private:
  double critic_loss(const Transitions& batch);  // fills logits_, error_ (cross-entropies), d_logits_, beyond_
  double actor_loss(const Transitions& batch);   // fills logits_, d_logits_; what backward needs is kept in both
  double mean_value(uint64_t rows);
  void watch_support(uint64_t step, uint64_t rows);

  int64_t n_steps_;
  spar::rl::Support z_;
  std::vector<float> p_next_, target_, logits_, d_logits_;  // [batch, atoms]
  std::vector<float> q_;                                    // [batch]
  uint64_t beyond_ = 0;                                     // targets of the last batch that the support could not hold
  spar::Metric clipped_;
  common::ClipWatch watch_{10'000};
};

}  // namespace deterministic
