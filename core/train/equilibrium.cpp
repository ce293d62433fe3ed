#include "core/train/equilibrium.hpp"

#include "core/base/error.hpp"

namespace spar::train {

std::unique_ptr<game::SeenGame> judged_game(const rollout::Environment& environment, const spar_host& host,
                                            const spar_component& component, const spar_config& config) {
  if (!environment.has_tree() || !environment.has_state()) return nullptr;
  game::Position position(host, component, config);
  try {
    return std::make_unique<game::SeenGame>(game::compile_seen(position, kJudgedHistories));
  } catch (const Error& error) {
    if (error.code() != "E1102") throw;
    return nullptr;  // too large or too deep
  }
}

game::Exploitability distance_of_greedy_play(const game::SeenGame& game,
                                             const std::vector<rollout::Learner*>& learners) {
  std::vector<game::Plan> plans;
  for (size_t p = 0; p < learners.size(); ++p) {
    const game::Player& player = game.form.players[p];
    plans.push_back(game::dense(player, game::pure(player, game::greedy_choices(player, game.views[p], *learners[p]))));
  }
  return game::exploitability(game.form, plans);
}

}  // namespace spar::train
