// Strategies of one player: behaviour (a distribution at each information set) and realisation plan (products of these
// along the way). Both are one number for each sequence; number 0 belongs to the empty sequence and is 1.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/game/sequence_form.hpp"

namespace spar::game {

using Plan = std::vector<double>;
using Behaviour = std::vector<double>;

/// plan[s] = plan[parent of s] * behaviour[s].
Plan to_plan(const Player& player, std::span<const double> behaviour);
/// Into memory that is kept.
void to_plan(const Player& player, std::span<const double> behaviour, Plan& plan);
/// behaviour[s] = plan[s] / plan[parent of s]; uniform where the plan never comes.
Behaviour to_behaviour(const Player& player, std::span<const double> plan);

Behaviour uniform(const Player& player);
/// Always the choice(infoset, legal actions) of the actions; answers an index into them.
Behaviour always(const Player& player, const std::function<size_t(size_t, std::span<const int64_t>)>& choice);

/// A plan that is mostly zeros: the sequences that are played, and their weights; no weights = all 1 (a pure strategy).
struct SparsePlan {
  std::vector<int32_t> sequence;
  std::vector<double> weight;

  bool operator==(const SparsePlan&) const = default;
};
SparsePlan sparse(std::span<const double> plan);
Plan dense(const Player& player, const SparsePlan& plan);
/// The pure strategy that takes choice[infoset]; what it never reaches is left out.
SparsePlan pure(const Player& player, std::span<const int32_t> choice);

/// plan += weight * added.
void add(const SparsePlan& added, double weight, std::span<double> plan);
/// Sum of gradient over the plan.
double dot(std::span<const double> gradient, const SparsePlan& plan);

}  // namespace spar::game
