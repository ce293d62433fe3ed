// A mixture over strategies: one of them is drawn before the game begins and played to its end.
#pragma once

#include <span>
#include <vector>

#include "core/game/plan.hpp"

namespace spar::game {

/// Strategies of one player, and how likely each is drawn.
struct Population {
  std::vector<SparsePlan> strategies;
  std::vector<double> mixture;
};

/// The one strategy that plays like the mixture: the weighted sum of the plans (Kuhn's theorem). Its behaviour weights
/// each strategy by how likely it is to have come there; averaging behaviours instead, as if a strategy were drawn anew
/// at each move, is something else.
void mix(const Player& player, std::span<const SparsePlan> population, std::span<const double> weights,
         std::span<double> plan);
Plan mix(const Player& player, std::span<const SparsePlan> population, std::span<const double> weights);

}  // namespace spar::game
