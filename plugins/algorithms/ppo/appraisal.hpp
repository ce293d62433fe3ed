// What the values and the policy say of a rollout before the first step of a phase changes them.
#pragma once

#include <vector>

#include "acted.hpp"
#include "actor_critic.hpp"
#include "policy.hpp"

namespace ppo {

class Appraisal {
 public:
  /// Room for `rows` transitions, which the networks see `chunk` at a time; `seen`: what a central critic sees instead
  /// of observations, nullptr: there is none. References outlive the appraisal.
  Appraisal(const Options& options, ActorCritic& nets, Policy& policy, const spar::InputSpec& obs,
            const spar::InputSpec* seen, uint64_t chunk, uint64_t rows);

  /// Fills what follows for a rollout; only one that is larger than all before allocates. The policy has not changed
  /// since the rollout was collected, so log_prob is that of the time. What `acted` holds is not computed again.
  void take(const spar_batch& rollout, const ActedOutputs* acted = nullptr);

  std::vector<float> value, advantage, target, log_prob;  ///< [rows]: V(s), A, R = A + V, log pi_old(a|s)
  struct Row {
    float value, advantage, target, log_prob;
  };
  std::vector<Row> of_row;  ///< [rows]: the same, together, for minibatches take rows in any order
  double entropy = 0;       ///< of the policy, mean

 private:
  void bootstrap(const spar_batch& rollout);

  const Options& options_;
  bool central_;
  spar::InputSpec input_, seen_;
  ActorCritic& nets_;
  Policy& policy_;
  uint64_t chunk_;
  std::vector<float> next_value_;           ///< [rows]: V(s')
  std::vector<uint64_t> rows_;              ///< 0, 1, ..
  std::vector<float> outputs_, end_value_;  ///< [chunk, ..]
  GatheredObservations end_seen_;           ///< [chunk]: what the critic sees at the ends
  std::vector<uint64_t> end_;               ///< [chunk]
};

}  // namespace ppo
