// The learned oracle of PSRO: an algorithm plugin learns a best response of one player to fixed mixtures of the others,
// from episodes of the game. What it has learnt joins the population as the pure strategy that it plays greedily.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/experiment.hpp"
#include "core/game/mixture_opponent.hpp"
#include "core/game/psro.hpp"
#include "core/game/views.hpp"
#include "core/rollout/backends.hpp"

namespace spar::solve {

class LearnedOracle {
 public:
  /// Tries out a learner for each player. References outlive it. Throws what Environment, Strategy and Learner throw.
  LearnedOracle(const config::Experiment& experiment, const rollout::ComponentLoader& load, const spar_host& host,
                const game::SeenGame& game);

  struct Response {
    game::SparsePlan plan;
    std::vector<std::pair<std::string, double>> metrics;  ///< what the learner measured, under PLAYER/
  };
  /// A fresh learner of `player` against the mixture of psro, until [stop.training]. The same iteration gives the same
  /// response. Nothing if `cancelled` says true meanwhile. Throws E0302 if what is learnt is not finite, E1108 if
  /// nothing was.
  std::optional<Response> respond(size_t player, const game::Psro& psro, const std::function<bool()>& cancelled) const;

  const std::vector<std::string>& backends() const { return backends_; }  ///< of the learners' networks, sorted
  uint64_t memory_bytes() const { return memory_bytes_; }                 ///< of the largest learner

 private:
  struct Training;

  const config::Experiment& experiment_;
  const rollout::ComponentLoader load_;
  const spar_host& host_;
  const game::SeenGame& game_;
  std::vector<game::InfosetIndex> index_;  ///< by player
  std::vector<std::string> backends_;
  uint64_t memory_bytes_ = 0;
};

}  // namespace spar::solve
