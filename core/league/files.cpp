#include "core/league/files.hpp"

#include <boost/json.hpp>

namespace spar::league {

boost::json::object league_json(const League& league) {
  const config::Experiment& experiment = league.arena().experiment();
  boost::json::object out{{"game", experiment.env.id}, {"iteration", league.iterations()}};
  if (league.iterations() == 0) return out;
  boost::json::array players, rates, matchmaking;
  for (size_t i = 0; i < league.past().size(); ++i) {
    const PastPlayer& player = league.past()[i];
    players.push_back(boost::json::object{{"name", player.name},
                                          {"kind", name(player.kind)},
                                          {"parent", league.active()[player.active]->name()},
                                          {"iteration", player.iteration},
                                          {"elo", league.elo()[i]}});
    rates.push_back(boost::json::value_from(league.results().row(i)));
  }
  for (const auto& player : league.active()) {
    std::vector<double> weights = league.matchmaking(player->number());
    const double itself = weights.back();
    weights.pop_back();
    matchmaking.push_back(boost::json::object{
        {"player", player->name()}, {"weights", boost::json::value_from(weights)}, {"itself", itself}});
  }
  out["players"] = std::move(players);
  out["win_rates"] = std::move(rates);
  out["episodes"] = league.arena().exact() ? 0 : experiment.league.match_episodes;
  out["matchmaking"] = std::move(matchmaking);
  return out;
}

}  // namespace spar::league
