// What a league leaves for pictures.
#pragma once

#include <boost/json/object.hpp>

#include "core/league/league.hpp"

namespace spar::league {

/// {"game": id of the environment, "iteration", "players": [{"name", "kind", "parent", "iteration", "elo"}],
/// "win_rates": rows against columns in the order of the players, "episodes": behind each, 0 if they are exact,
/// "matchmaking":
/// [{"player": an active one, "weights": by past player, "itself"}]}. `parent`: the active player that it was.
boost::json::object league_json(const League& league);

}  // namespace spar::league
