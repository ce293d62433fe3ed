#include "core/game/mixture.hpp"

#include <algorithm>

namespace spar::game {

void mix(const Player& player, std::span<const SparsePlan> population, std::span<const double> weights,
         std::span<double> plan) {
  std::fill_n(plan.begin(), player.sequences(), 0.0);
  for (size_t i = 0; i < population.size(); ++i)
    if (weights[i] > 0) add(population[i], weights[i], plan);
}

Plan mix(const Player& player, std::span<const SparsePlan> population, std::span<const double> weights) {
  Plan plan(player.sequences());
  mix(player, population, weights, plan);
  return plan;
}

}  // namespace spar::game
