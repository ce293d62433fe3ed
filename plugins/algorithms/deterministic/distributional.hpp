// Deterministic actor-critic with a distributional critic (Barth-Maron et al., "Distributed distributional
// deterministic policy gradients", 2018): what D3PG and D4PG share, which is all but the number of actors.
#pragma once

#include "actor_critic.hpp"
#include "spar/rl/categorical.hpp"

namespace deterministic {

struct DistributionalOptions : Options {
  DistributionalOptions() {
    hidden_layers = {128, 128};
    tau = 0.02;
    max_grad_norm_actor = max_grad_norm_critic = 100;
    prioritized = true;
  }
  int64_t n_steps = 3;
  double v_min = -10;
  double v_max = 10;
  int64_t num_atoms = 51;
  double action_scale = 1;
};

/// Adds all knobs to the schema of `O`, which derives from DistributionalOptions.
template <class O>
void add_distributional_options(spar::Schema<O>& s) {
  add_options(s);
  s.integer("n_steps", &O::n_steps, spar::at_least(1), "length of the n-step return")
      .real("v_min", &O::v_min, spar::any_number(), "smallest return that the critic can express")
      .real("v_max", &O::v_max, spar::any_number(), "largest return that the critic can express")
      .integer("num_atoms", &O::num_atoms, spar::at_least(2), "atoms between v_min and v_max, both included")
      .real("action_scale", &O::action_scale, spar::above_up_to(0, 1),
            "multiplies the policy's output: the share of the box, around its middle, that it uses");
}

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
  /// Of the targets seen since the last look, how many the support could not hold.
  struct Watch {
    uint64_t targets = 0, clipped = 0;
    bool warned = false;
  } watch_;
};

}  // namespace deterministic
