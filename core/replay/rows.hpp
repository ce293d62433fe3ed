// What a rollout worker appends: one step of some environment copies.
#pragma once

#include <cstdint>
#include <span>

namespace spar::replay {

/// Columns are compact, [rows, shape]. `observed`, `next` and `acted` hold one pointer per column, in the order of the
/// specification. `next` is the true observation after the step, also where the episode ended. Steps of one lane arrive
/// in the order of time; a step that is terminated and truncated counts as terminated.
struct StepRows {
  uint64_t rows = 0;
  const uint64_t* lane = nullptr;  ///< environment copy of each row; nullptr: row i is lane i
  std::span<const void* const> observed;
  std::span<const void* const> acted;
  std::span<const void* const> next;
  const float* reward = nullptr;
  const uint8_t* terminated = nullptr;
  const uint8_t* truncated = nullptr;

  uint64_t lane_of(uint64_t row) const { return lane != nullptr ? lane[row] : row; }
};

}  // namespace spar::replay
