// What a solved game leaves for pictures and for play.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "core/game/plan.hpp"

namespace spar::solve {

inline constexpr size_t kMostWritten = 20'000;  ///< information sets

/// {"game": id of the environment, "iteration", "players": [{"name", "infosets": [{"key": hexadecimal, "actions",
/// "probabilities", "reach"}]}]}; reach: the player's own part. Games with more than kMostWritten information sets have
/// an empty list.
boost::json::object strategy_json(const std::string& game, const game::SequenceForm& form,
                                  const std::vector<game::Plan>& plans, uint64_t iteration);

/// SHA-256, 64 hex digits, of the plans' bytes.
std::string plans_sha256(const std::vector<game::Plan>& plans);

}  // namespace spar::solve
