// Policies that act and never learn: past players, and the newest parameters of one that is learning.
#pragma once

#include <string>
#include <vector>

#include "core/league/arena.hpp"
#include "core/rollout/actor.hpp"
#include "core/rollout/players.hpp"

namespace spar::league {

/// What playing needs of a learner, as one snapshot of the parameter store: the values of the networks that an acting
/// instance has, flat, and the statistics of its observations.
std::vector<params::Tensor> playing_parameters(const Arena& arena, const rollout::Learner& learner);

/// An acting instance (SPAR_ROLE_ACT) with networks and generator of its own.
class FrozenPolicy {
 public:
  /// Its stream is `name` of `root_seed`. It acts in at most `rows` rows together; the arena outlives it.
  FrozenPolicy(const Arena& arena, const std::string& name, uint64_t root_seed, uint64_t rows);

  /// Throws E0501 if they are of something else.
  void take(const params::Snapshot& parameters);
  void take(const rollout::Learner& learner);

  /// As the league's option `play` says, or greedily.
  void act(rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane);
  void act_greedily(rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane);

 private:
  void act_in(uint32_t mode, rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane);

  const rollout::AgentPort& port_;
  uint32_t mode_;
  rollout::Actor actor_;
  rollout::ObservationTransform transform_;
};

/// The policy at a seat.
rollout::SeatedPlayer seated(FrozenPolicy& policy, const std::string& label, const rollout::AgentPort& port,
                             uint64_t lanes);

}  // namespace spar::league
