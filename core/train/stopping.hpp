// When a run ends.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/config/experiment.hpp"

namespace spar::train {

/// What the conditions are asked about.
struct Situation {
  uint64_t env_steps = 0, train_steps = 0, episodes = 0;
  double seconds = 0;
  const std::vector<double>* evaluations = nullptr;  ///< mean returns so far, oldest first
  uint64_t iterations = 0;
  double exploitability = std::numeric_limits<double>::infinity();
};

bool holds(const config::Condition& condition, const Situation& situation);

/// The condition that ends the run ("env_steps", "eval_return", or "all" when every one of `all` holds), if one does.
std::optional<std::string> fired(const config::StopConfig& stop, const Situation& situation);

/// Transitions until a condition of `any` on them holds for sure; those of `all` may have to wait for others. The
/// largest number if there is none.
uint64_t transitions_left(const config::StopConfig& stop, uint64_t env_steps);

}  // namespace spar::train
