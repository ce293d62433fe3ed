// Whole episodes on copies and seeds of their own, in which nobody learns: greedy evaluation and match-ups.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/rollout/learner.hpp"
#include "core/rollout/opponent.hpp"

namespace spar::rollout {

/// Seeds of evaluations are disjoint from those of training (first seed + copy), which stay far below 2^40.
inline constexpr uint64_t kEvaluationSeeds = uint64_t{1} << 40;

/// Undiscounted returns.
struct Returns {
  std::vector<double> mean;                   ///< by episode: the mean over the agents
  std::vector<std::vector<double>> by_agent;  ///< by agent, then by episode
};

/// Plays `episodes` episodes, episode k started with seed `first_seed` + k, all copies at a time; players[i] acts for
/// agent i. `cancelled` is asked before every step; once it says true the episodes finished so far are dropped and the
/// result is empty.
Returns play(Environment& environment, const std::vector<Opponent*>& players, uint64_t time_limit, uint64_t episodes,
             uint64_t first_seed, const std::function<bool()>& cancelled = {});

/// The mean returns of play() with learners[i] acting greedily for agent i. It changes nothing in them.
std::vector<double> evaluate(Environment& environment, const std::vector<Learner*>& learners, uint64_t time_limit,
                             uint64_t episodes, uint64_t first_seed, const std::function<bool()>& cancelled = {});

}  // namespace spar::rollout
