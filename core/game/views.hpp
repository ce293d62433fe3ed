// What learned policies are asked on a game tree, and what they answer: a policy that acts greedily is a pure strategy.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/game/sequence_form.hpp"
#include "core/rollout/players.hpp"

namespace spar::game {

/// What one player sees at its information sets.
struct View {
  std::vector<std::vector<std::byte>> columns;  ///< like AgentPort::observed: a row for each infoset
};

/// A compiled game with what its players see.
struct SeenGame {
  SequenceForm form;
  std::vector<View> views;  ///< by player
};

/// Throws as compile() and Position::make_ports().
SeenGame compile_seen(Position& position, uint64_t most = kMostHistories);

/// Policies are asked about so many information sets at a time: the fewest `max_rows` of a learner that is asked.
inline constexpr size_t kAskedTogether = 32;

/// What `learner` does greedily at each information set of `player`: an index into its legal actions. `learner` acts
/// for an agent with the columns of `view`. Throws E0706 if it answers an action that is not legal.
std::vector<int32_t> greedy_choices(const Player& player, const View& view, rollout::Learner& learner);
/// The same of whoever `act` asks, named `label` in messages, for an agent with the spaces of `port`.
std::vector<int32_t> choices(const Player& player, const View& view, const rollout::AgentPort& port,
                             const rollout::ActRows& act, const std::string& label);

}  // namespace spar::game
