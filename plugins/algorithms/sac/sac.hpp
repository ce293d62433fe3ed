// Soft actor-critic (Haarnoja et al., "Soft actor-critic algorithms and applications", 2018) with twin critics, a fixed
// or learnt temperature and prioritised replay.
#pragma once

#include <optional>
#include <vector>

#include "../common/critic_inputs.hpp"
#include "options.hpp"
#include "policy.hpp"
#include "spar/algorithm.hpp"
#include "spar/rl/view.hpp"

namespace sac {

class Sac : public spar::Algorithm {
 public:
  static constexpr const char *id = "org.spar.sac", *version = "1.0.0", *title = "Soft actor-critic";
  static constexpr const char* doc =
      "Maximum-entropy learning for continuous actions: tanh-Gaussian policy, twin critics, fixed or learnt "
      "temperature.";
  static constexpr const char* kServices[] = {SPAR_SVC_NN, SPAR_SVC_BUFFER, SPAR_SVC_EXEC, SPAR_SVC_RNG};
  static constexpr uint32_t kFlags = SPAR_ALGO_CONTINUOUS | SPAR_ALGO_HOSTED_NETWORKS | SPAR_ALGO_CENTRAL_CRITIC;
  static const spar::Schema<Options>& schema() { return sac::schema(); }

  /// Throws SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that SAC cannot serve.
  Sac(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup);

  void needs(spar_needs& out) const;
  /// SPAR_MODE_GREEDY takes the policy's mode, every other mode a sample of it: there is no target policy.
  void act(const spar_act& how, const spar_batch& obs, spar_batch& out);
  void learn(uint64_t step);
  double policy_loss(const spar_batch& batch);
  double value_loss(const spar_batch& batch);

 private:
  static constexpr int64_t kCritics = 2;

  /// The networks that only a learning instance has.
  struct Learners {
    spar::Network critics, critics_target;
    std::optional<spar::Network> log_alpha;  // a free number, where it is learnt
  };

  /// alpha; a learnt one is ready for its backward pass afterwards.
  double temperature() const;
  /// Throws unless this instance learns and the batch is of batch_size rows.
  void check_given(const spar_batch& batch) const;
  spar::TensorView<float> of_critics(std::vector<float>& v, uint64_t rows) const;
  spar::TensorView<float> matrix(std::vector<float>& v, uint64_t rows) const;
  spar::rl::View<float> member(std::vector<float>& v, int64_t k, uint64_t rows) const;

  /// Fills target_ and q_, ready for the critics' backward pass; gives the loss and, if asked, its gradient in dq_.
  double value(const spar_batch& batch, double alpha, bool gradient);
  /// Fills draw_ and q_, ready for both backward passes; gives the actor's loss and its gradient in dq_.
  double policy(const spar_batch& batch, double alpha);

  spar::Context ctx_;
  Options options_;
  spar::InputSpec observation_;
  int64_t n_actions_;
  Policy policy_;
  common::CriticInputs inputs_;
  std::optional<Learners> learners_;
  spar::Adam actor_adam_, critic_adam_, alpha_adam_;

  Draw act_draw_, draw_;
  std::vector<float> q_, dq_;                 // [critics, batch]
  std::vector<float> target_, ones_, error_;  // [batch]
  std::vector<float> daction_;                // [batch, n_actions]
  std::vector<float> dlog_prob_;              // [batch]
  spar::Metric actor_loss_, critic_loss_, alpha_loss_, alpha_metric_, q_mean_, entropy_, actor_norm_, critic_norm_;
};

}  // namespace sac
