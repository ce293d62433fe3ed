// A game tree compiled once into its sequence form (Koller, Megiddo and von Stengel, "Efficient computation of
// equilibria for extensive two-person games", 1996; for any number of players here). A sequence is what one player has
// chosen on the way to a position: the empty one has number 0, the others belong to an information set and an action
// there. A strategy is a realisation plan, one number for each sequence: the probability with which the player does its
// part. Payoffs are linear in each player's plan, so a mixture of strategies is a weighted sum of plans.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/game/position.hpp"

namespace spar::game {

/// Information sets of one player, parents before children.
struct Player {
  std::string name;
  std::vector<int32_t> parent;   ///< by infoset: the sequence that leads to it
  std::vector<int32_t> first;    ///< by infoset, and one more: its first sequence; those of one infoset are adjacent
  std::vector<int64_t> action;   ///< by sequence: the environment's number of its last action; -1 for the empty one
  std::vector<std::string> key;  ///< by infoset: the bytes of the tree extension

  size_t infosets() const { return parent.size(); }
  size_t sequences() const { return action.size(); }
  int32_t choices(size_t infoset) const { return first[infoset + 1] - first[infoset]; }
  /// The sequences of an infoset are begin .. end - 1; above() is the one that leads to it.
  size_t begin(size_t infoset) const { return static_cast<size_t>(first[infoset]); }
  size_t end(size_t infoset) const { return static_cast<size_t>(first[infoset + 1]); }
  size_t above(size_t infoset) const { return static_cast<size_t>(parent[infoset]); }
};

/// Sparse rows: value[begin[i] .. begin[i + 1]) in the columns `column`.
struct SparseRows {
  std::vector<int32_t> begin, column;
  std::vector<double> value;
};

struct SequenceForm {
  std::string game;  ///< name of the environment for messages
  std::vector<Player> players;
  uint64_t histories = 0, terminals = 0;
  bool zero_sum = false;  ///< the payoffs of all players add to 0 in every terminal position

  /// Two players: payoff of player p, chance included, for its sequence (row) and the other's (column).
  std::array<SparseRows, 2> payoff;
  /// Any other number: one entry for each combination of sequences; entry e has sequences[e * players + p] and,
  /// weighted by chance, payoffs[e * players + p].
  std::vector<int32_t> terminal_sequences;
  std::vector<double> terminal_payoffs;
};

inline constexpr uint64_t kMostHistories = 2'000'000;

/// What the end of a game is worth to each player whose returns are given.
using Worth = std::function<std::vector<double>(const std::vector<double>& returns)>;

/// Walks the whole tree. Simultaneous moves become moves one after the other of which the later players know nothing.
/// found(player, depth) is called at the first position of each new information set, in the order of their numbers.
/// `worth`: the payoffs, if they are not the returns themselves. Throws E1102 if the tree has more than `most`
/// positions, E1103 if a player forgets what it knew or did, and what Position throws.
SequenceForm compile(Position& position, uint64_t most = kMostHistories,
                     const std::function<void(size_t player, uint64_t depth)>& found = {}, const Worth& worth = {});

}  // namespace spar::game
