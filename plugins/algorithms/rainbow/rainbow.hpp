// Rainbow (Hessel et al., "Rainbow: combining improvements in deep reinforcement learning", 2018): distributions over
// returns (C51, Bellemare et al. 2017) with double Q-learning, dueling heads, n-step returns, prioritised replay and
// noisy layers.
#pragma once

#include "../common/clip_watch.hpp"
#include "../value_learning/algorithm.hpp"
#include "options.hpp"
#include "spar/rl/categorical.hpp"

namespace rainbow {

inline constexpr uint64_t kClipWindow = 2'000;  ///< targets that are judged together

class Rainbow : public value_learning::Algorithm {
 public:
  static constexpr const char *id = "org.spar.rainbow", *version = "1.0.0", *title = "Rainbow";
  static constexpr const char* doc =
      "Distributions over returns for discrete actions: C51, double, dueling, n-step, prioritised replay, noisy "
      "layers.";
  static const spar::Schema<Options>& schema() { return rainbow::schema(); }

  /// Throws SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that Rainbow cannot serve.
  Rainbow(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup);

  void act(const spar_act& how, const spar_batch& obs, spar_batch& out);
  void learn(uint64_t step);
  double value_loss(const spar_batch& batch);
  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 private:
  /// Fills taken_ (logits) and m_ (targets) from a batch; what backward needs of taken_ is kept. Returns how many
  /// targets the support cannot hold.
  size_t distribution(const spar_batch& batch);
  /// q[i, a] = E[Z(s_i, a)] = sum_j z_j softmax(logits[i, a])_j.
  void expected_values(const Floats& logits, uint64_t rows, Floats& q);
  void watch_support(uint64_t step, uint64_t clipped, uint64_t targets);

  spar::rl::Support z_;
  common::ClipWatch clip_watch_{kClipWindow};
  spar::Metric clip_metric_;

  Floats logits_act_, q_act_;                         // [max_rows, n_actions, atoms], [max_rows, n_actions]
  Floats logits_, logits_next_, logits_target_next_;  // [batch, n_actions, atoms]
  Floats dlogits_, p_;                                // p_: scratch, also of act
  Floats q_next_;                                     // [batch, n_actions]
  Floats taken_, p_next_, m_, slope_;                 // [batch, atoms]
  Floats error_, q_taken_;                            // [batch]
};

}  // namespace rainbow
