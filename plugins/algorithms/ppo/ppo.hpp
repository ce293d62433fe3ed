// Proximal policy optimisation (Schulman et al. 2017) with generalised advantages (Schulman et al. 2016), for discrete
// actions (with masks) and continuous ones.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "actor_critic.hpp"
#include "appraisal.hpp"
#include "policy.hpp"
#include "spar/algorithm.hpp"
#include "spar/rl/ppo.hpp"

namespace ppo {

class Ppo : public spar::Algorithm {
 public:
  static constexpr const char *id = "org.spar.ppo", *version = "1.0.0", *title = "Proximal policy optimisation";
  static constexpr const char* doc =
      "On-policy learning for discrete and continuous actions: clipped ratio or KL penalty, generalised advantages.";
  static constexpr const char* kServices[] = {SPAR_SVC_NN, SPAR_SVC_BUFFER, SPAR_SVC_EXEC, SPAR_SVC_RNG};
  static constexpr uint32_t kFlags = SPAR_ALGO_DISCRETE | SPAR_ALGO_CONTINUOUS | SPAR_ALGO_ON_POLICY |
                                     SPAR_ALGO_HOSTED_NETWORKS | SPAR_ALGO_HONOURS_MASK | SPAR_ALGO_CENTRAL_CRITIC;
  static const spar::Schema<Options>& schema() { return ppo::schema(); }

  /// Throws SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that PPO cannot serve.
  Ppo(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup);

  void needs(spar_needs& out) const;
  void act(const spar_act& how, const spar_batch& obs, spar_batch& out);
  void learn(uint64_t step);
  /// Of a rollout of at most the rows of one learning phase, as one minibatch, by the policy as it is (ratio 1).
  double policy_loss(const spar_batch& rollout);
  double value_loss(const spar_batch& rollout);
  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 private:
  void shuffle(uint64_t rows);
  void take_minibatch(const spar_batch& rollout, uint64_t begin, uint64_t rows);
  bool improve_policy(uint64_t step, double lr_scale);
  void improve_values(uint64_t step, double lr_scale);
  double kl_since(const spar_batch& rollout);
  double learning_rate_scale() const;

  spar::Context ctx_;
  Options options_;
  uint64_t phase_rows_;  ///< transitions of one learning phase, all copies together
  uint64_t batch_size_;
  spar::InputSpec input_;                ///< one observation
  std::optional<spar::InputSpec> seen_;  ///< what a central critic sees instead; empty: there is none
  std::unique_ptr<Policy> policy_;
  ActorCritic nets_;
  spar::Adam actor_adam_, critic_adam_;
  double kl_beta_;

  std::optional<ActedOutputs> acted_;  ///< both not of an instance that only acts
  std::optional<Appraisal> appraisal_;
  std::vector<uint64_t> order_;                          ///< [rows of the rollout], shuffled
  uint64_t rows_ = 0;                                    ///< of the minibatch
  std::optional<GatheredObservations> obs_, states_;     ///< [batch]: its observations, and what a central critic sees
  std::vector<float> outputs_, doutputs_;                ///< [max_rows or batch, n_outputs]
  std::vector<float> log_prob_, dlog_prob_, old_, adv_;  ///< [batch]
  std::vector<float> v_, dv_, old_v_, target_;           ///< [batch]
  spar::Metric actor_loss_, critic_loss_, entropy_, kl_, clipped_, actor_norm_, critic_norm_, value_mean_;
};

}  // namespace ppo
