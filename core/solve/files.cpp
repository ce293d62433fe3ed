#include "core/solve/files.hpp"

#include <boost/json.hpp>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"

namespace spar::solve {
boost::json::object strategy_json(const std::string& game, const game::SequenceForm& form,
                                  const std::vector<game::Plan>& plans, uint64_t iteration) {
  size_t infosets = 0;
  for (const auto& player : form.players) infosets += player.infosets();
  boost::json::array players;
  for (size_t p = 0; p < form.players.size(); ++p) {
    const game::Player& player = form.players[p];
    const game::Behaviour behaviour = game::to_behaviour(player, plans[p]);
    boost::json::array list;
    for (size_t i = 0; i < player.infosets() && infosets <= kMostWritten; ++i) {
      boost::json::array actions, probabilities;
      for (size_t s = player.begin(i); s < player.end(i); ++s) {
        actions.push_back(player.action[s]);
        probabilities.push_back(behaviour[s]);
      }
      list.push_back(boost::json::object{{"key", hexadecimal(std::as_bytes(std::span(player.key[i])))},
                                         {"actions", std::move(actions)},
                                         {"probabilities", std::move(probabilities)},
                                         {"reach", plans[p][player.above(i)]}});
    }
    players.push_back(boost::json::object{{"name", player.name}, {"infosets", std::move(list)}});
  }
  return {{"game", game}, {"iteration", iteration}, {"players", std::move(players)}};
}

std::string plans_sha256(const std::vector<game::Plan>& plans) {
  Sha256 hash;
  for (const auto& plan : plans) hash.update(std::as_bytes(std::span(plan.data(), plan.size())));
  return hash.hex();
}

}  // namespace spar::solve
