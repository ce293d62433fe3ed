#include "core/game/fictitious_play.hpp"

#include "core/game/exploitability.hpp"

namespace spar::game {

FictitiousPlay::FictitiousPlay(const SequenceForm& form) : form_(form) {
  for (const Player& player : form.players) average_.push_back(to_plan(player, uniform(player)));
}

void FictitiousPlay::iterate() {
  const double step = 1.0 / static_cast<double>(iterations_ + 2);
  std::vector<Plan> next = average_;
  for (size_t p = 0; p < form_.players.size(); ++p) {
    const Player& player = form_.players[p];
    std::vector<double> values(player.sequences());
    std::vector<int32_t> choice(player.infosets());
    gradient(form_, p, average_, values);
    best_response(player, values, choice);
    for (double& x : next[p]) x *= 1 - step;
    add(pure(player, choice), step, next[p]);
  }
  average_ = std::move(next);
  ++iterations_;
}

}  // namespace spar::game
