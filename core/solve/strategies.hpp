// What a run that solves a game has come to, for play.
#pragma once

#include <string>
#include <vector>

#include "core/config/experiment.hpp"
#include "core/game/mixture.hpp"
#include "core/run/run_directory.hpp"
#include "core/train/session.hpp"

namespace spar::solve {

struct Strategies {
  game::SequenceForm form;
  std::vector<game::Population> populations;  ///< by player
  uint64_t iteration = 0;
};

/// Of the checkpoint `which`: "last" or an iteration. Learned responses are strategies like others: no algorithm is
/// needed. Changes nothing on disk. Throws E0503 if there is no such checkpoint, or if it is from before the first
/// iteration.
Strategies strategies_of_run(const train::Host& host, config::Experiment experiment, const run::RunDirectory& directory,
                             const std::string& which);

}  // namespace spar::solve
