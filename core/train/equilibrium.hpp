// How far learners that play a game with a tree are from equilibrium.
#pragma once

#include <memory>
#include <vector>

#include "core/game/exploitability.hpp"
#include "core/game/views.hpp"
#include "core/rollout/environment.hpp"

namespace spar::train {

/// Larger games are not judged: their tree would cost more than an evaluation.
inline constexpr uint64_t kJudgedHistories = 50'000;

/// The game of `environment`, made of `component` and `config`; null if it has no tree, or one of more positions than
/// kJudgedHistories. Throws as game::compile().
std::unique_ptr<game::SeenGame> judged_game(const rollout::Environment& environment, const spar_host& host,
                                            const spar_component& component, const spar_config& config);

/// NashConv and exploitability of what the learners (one for each player) do greedily. It changes nothing in them.
game::Exploitability distance_of_greedy_play(const game::SeenGame& game,
                                             const std::vector<rollout::Learner*>& learners);

}  // namespace spar::train
