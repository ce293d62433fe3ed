// Deep Q-learning (Mnih et al. 2015) with double Q-learning (van Hasselt et al. 2016), dueling heads (Wang et al.
// 2016), n-step returns and prioritised replay (Schaul et al. 2016), each with its own switch.
#pragma once

#include <vector>

#include "options.hpp"
#include "spar/algorithm.hpp"
#include "spar/network.hpp"
#include "spar/rl/view.hpp"

namespace dqn {

class Dqn : public spar::Algorithm {
 public:
  static constexpr const char *id = "org.spar.dqn", *version = "1.0.0", *title = "Deep Q-network";
  static constexpr const char* doc =
      "Value learning for discrete actions: double, dueling, n-step, prioritised replay; soft or hard target copies.";
  static constexpr const char* kServices[] = {SPAR_SVC_NN, SPAR_SVC_BUFFER, SPAR_SVC_EXEC, SPAR_SVC_RNG};
  static constexpr uint32_t kFlags = SPAR_ALGO_DISCRETE | SPAR_ALGO_HOSTED_NETWORKS;
  static const spar::Schema<Options>& schema() { return dqn::schema(); }

  /// Throws SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that DQN cannot serve.
  Dqn(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup);

  void needs(spar_needs& out) const;
  void act(const spar_act& how, const spar_batch& obs, spar_batch& out);
  void learn(uint64_t step);
  double value_loss(const spar_batch& batch);
  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 private:
  double epsilon() const;
  double beta() const;
  /// Fills taken_ and target_value_ from a batch; what backward needs of taken_ is kept.
  void value(const spar_batch& batch);
  spar::rl::View<const float> weights_of(const spar_batch& batch) const;

  spar::Context ctx_;
  Options options_;
  int64_t n_obs_, n_actions_;
  spar::Network online_, target_;
  spar::Adam adam_;
  uint64_t updates_ = 0;

  std::vector<float> q_act_;                                        // [max_rows, n_actions]
  std::vector<float> q_, q_next_, q_target_next_, dq_;              // [batch, n_actions]
  std::vector<float> taken_, target_value_, ones_, slope_, error_;  // [batch]
  spar::Metric loss_metric_, q_metric_, norm_metric_, epsilon_metric_;
};

}  // namespace dqn
