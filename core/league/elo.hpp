// Elo ratings of everybody in a league, from how they did against each other (Elo, "The rating of chessplayers", 1978;
// Bradley and Terry, "Rank analysis of incomplete block designs", 1952).
#pragma once

#include <span>
#include <vector>

namespace spar::league {

inline constexpr double kFirstRating = 1000;

/// The ratings that make the results most likely if i beats j with probability 1 / (1 + 10^((r_j - r_i) / 400)), the
/// first player's being kFirstRating. win_rates: [players, players], of the row's player against the column's, draws
/// counted half; the diagonal is not read. `games`: behind each of them. Every two players are taken to have drawn one
/// game more than they played, so that who wins every game has a finite rating too.
std::vector<double> elo_ratings(std::span<const double> win_rates, size_t players, double games);

}  // namespace spar::league
