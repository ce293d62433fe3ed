// Deep Q-learning (Mnih et al. 2015) with double Q-learning (van Hasselt et al. 2016), dueling heads (Wang et al.
// 2016), n-step returns, prioritised replay (Schaul et al. 2016) and noisy layers (Fortunato et al. 2018), each with
// its own switch.
#pragma once

#include "../value_learning/algorithm.hpp"
#include "options.hpp"

namespace dqn {

class Dqn : public value_learning::Algorithm {
 public:
  static constexpr const char *id = "org.spar.dqn", *version = "1.0.0", *title = "Deep Q-network";
  static constexpr const char* doc =
      "Value learning for discrete actions: double, dueling, n-step, prioritised replay, noisy layers; soft or hard "
      "target copies.";
  static const spar::Schema<Options>& schema() { return dqn::schema(); }

  /// Throws SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that DQN cannot serve.
  Dqn(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup);

  void act(const spar_act& how, const spar_batch& obs, spar_batch& out);
  void learn(uint64_t step);
  double value_loss(const spar_batch& batch);

 private:
  /// Fills taken_ and target_value_ from a batch; what backward needs of taken_ is kept.
  void value(const spar_batch& batch);
  template <class Use>
  double by_loss(Use&& use) const;

  bool huber_;
  Floats q_act_;                                 // [max_rows, n_actions]
  Floats q_, q_next_, q_target_next_, dq_;       // [batch, n_actions]
  Floats taken_, target_value_, slope_, error_;  // [batch]
};

}  // namespace dqn
