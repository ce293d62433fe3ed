// An opponent on a game tree that plays a mixture of strategies: one of them is drawn for each episode, and what it
// plays is drawn at each move. Drawing a strategy for each move instead would play something else (it loses what the
// mixture weighs by how likely each strategy is to come there).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/game/plan.hpp"
#include "core/rng/philox.hpp"
#include "core/rollout/environment.hpp"
#include "core/rollout/opponent.hpp"

namespace spar::game {

/// The information sets of one player by the bytes of the tree extension.
using InfosetIndex = std::unordered_map<std::string, size_t>;
InfosetIndex index_of(const Player& player);

class MixtureOpponent : public rollout::Opponent {
 public:
  /// Plays the agent of `player`, number `agent` in the environment. The first mixture.size() of the population are
  /// mixed. References outlive it.
  MixtureOpponent(const Player& player, const InfosetIndex& index, size_t agent,
                  const std::vector<SparsePlan>& population, const std::vector<double>& mixture,
                  const rollout::Environment& environment, Philox random);

  const std::string& label() const override { return label_; }
  void begin(uint64_t copy) override;
  /// Throws E0703 at a position that the game tree does not have.
  void act(const std::vector<uint64_t>& copies, rollout::Batch& actions) override;

 private:
  std::string label_;
  const Player& player_;
  const InfosetIndex& index_;
  size_t agent_;
  std::vector<Behaviour> behaviours_;  ///< of those that are ever drawn
  std::vector<double> weights_;
  std::vector<size_t> chosen_;  ///< by copy
  const rollout::Environment& environment_;
  Philox random_;
  std::string key_;
};

}  // namespace spar::game
