// Greedy evaluation: whole episodes on copies and seeds of its own. It changes nothing in the learners.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/rollout/participant.hpp"

namespace spar::rollout {

/// Seeds of evaluations are disjoint from those of training (first seed + copy), which stay far below 2^40.
inline constexpr uint64_t kEvaluationSeeds = uint64_t{1} << 40;

/// Plays `episodes` episodes, episode k started with seed `first_seed` + k, all copies at a time; the learner of
/// participants[i] acts greedily for agent i. Returns each episode's undiscounted return, the mean over the agents.
/// `cancelled` is asked before every step; once it says true the episodes finished so far are dropped and the result is
/// empty.
std::vector<double> evaluate(Environment& environment, const std::vector<Participant>& participants,
                             uint64_t time_limit, uint64_t episodes, uint64_t first_seed,
                             const std::function<bool()>& cancelled = {});

}  // namespace spar::rollout
