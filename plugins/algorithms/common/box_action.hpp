// Continuous actions of a squashed policy: it covers [low, high], and cannot cover a line.
#pragma once

#include <cmath>
#include <string>

#include "spar/space.hpp"

namespace common {

/// Numbers of one action. Throws SPAR_E_INVALID unless the space is a Box with finite bounds; `algorithm`: for the
/// message.
inline int64_t box_action_width(const std::string& algorithm, const spar_space& space) {
  if (space.kind != SPAR_SPACE_BOX) {
    throw spar::StatusError(SPAR_E_INVALID,
                            algorithm + " needs a Box action space, found " + spar::space_name(space) +
                                ": choose an algorithm for discrete actions or a continuous environment");
  }
  const int64_t width = spar::space_width(space);
  for (int64_t j = 0; j < width; ++j) {
    if (space.low && space.high && std::isfinite(space.low[j]) && std::isfinite(space.high[j])) continue;
    throw spar::StatusError(SPAR_E_INVALID, algorithm +
                                                " needs actions with finite bounds, found none on a side of number " +
                                                std::to_string(j) + " of " + spar::space_name(space) +
                                                ": give the environment's action space both bounds");
  }
  return width;
}

}  // namespace common
