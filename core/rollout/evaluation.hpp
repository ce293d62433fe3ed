// Whole episodes on copies and seeds of their own, in which nobody learns: greedy evaluation and match-ups.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/rollout/participant.hpp"

namespace spar::rollout {

/// Seeds of evaluations are disjoint from those of training (first seed + copy), which stay far below 2^40.
inline constexpr uint64_t kEvaluationSeeds = uint64_t{1} << 40;

/// Undiscounted returns.
struct Returns {
  std::vector<double> mean;                   ///< by episode: the mean over the agents
  std::vector<std::vector<double>> by_agent;  ///< by agent, then by episode
};

/// Plays `episodes` episodes, episode k started with seed `first_seed` + k, all copies at a time; participants[i] acts
/// for agent i, learners greedily, which changes nothing in them. `cancelled` is asked before every step; once it says
/// true the episodes finished so far are dropped and the result is empty.
Returns play(Environment& environment, const std::vector<Participant>& participants, uint64_t time_limit,
             uint64_t episodes, uint64_t first_seed, const std::function<bool()>& cancelled = {});

/// The mean returns of play().
std::vector<double> evaluate(Environment& environment, const std::vector<Participant>& participants,
                             uint64_t time_limit, uint64_t episodes, uint64_t first_seed,
                             const std::function<bool()>& cancelled = {});

}  // namespace spar::rollout
