// Who plays whom in a league: prioritised fictitious self-play (Vinyals et al., "Grandmaster level in StarCraft II
// using multi-agent reinforcement learning", 2019).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/experiment.hpp"

namespace spar::league {

enum class Kind : uint32_t { main_agent, main_exploiter, league_exploiter };
std::string_view name(Kind kind);

/// What an active player, one that trains, was when a phase of its ended: parameters that never change.
struct PastPlayer {
  std::string name;  ///< "main_0/3"
  Kind kind;
  uint64_t active;         ///< number of the active player that it was; main agents come first
  uint64_t iteration = 0;  ///< 0: as it started
};

/// Weights that add to 1, by the win rate w of the player who asks against each opponent: `hard` (1 - w)^power,
/// `even` w (1 - w), `uniform` 1. All alike where all would be 0.
std::vector<double> pfsp(std::string_view weighting, double power, std::span<const double> win_rates);

/// Of the past selves of one player, oldest first: how many of the oldest the one who asks may have forgotten how to
/// beat. Older selves should be easier to beat: the longest part at the end in which the win rate falls all the time,
/// but for its first, is left out; if that is all of them, nothing is forgotten.
size_t perhaps_forgotten(std::span<const double> win_rates);

/// How likely each past player is the next opponent of the active player number `active`, of that kind, and, one number
/// more at the end, how likely it is that player itself as it is now. win_rates: of it against each past player; every
/// active player has at least one past self. Adds to 1.
///
/// A main agent meets with probability self_play a main agent, each alike: itself, or the newest past self of another
/// (where it wins at most kHopeless against that, one of the other's past selves, `even`); with probability
/// verification, if it wins less than kBeaten against some past main exploiter, one of those, else, if it wins less
/// than kKept against a past self of a main agent that it may have forgotten, one of those (both `hard`), else as in
/// self-play; and otherwise any past player by `pfsp`. A main exploiter meets the newest past self of a main agent,
/// each alike, or, where it wins at most kChanceless against that, one of its past selves, `even`. A league exploiter
/// meets any past player by `pfsp`.
std::vector<double> opponents(const config::LeagueConfig& league, Kind kind, uint64_t active,
                              std::span<const PastPlayer> past, std::span<const double> win_rates);
inline constexpr double kHopeless = 0.3, kBeaten = 0.3, kKept = 0.7, kChanceless = 0.1;

}  // namespace spar::league
