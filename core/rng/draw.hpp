// Drawing one of several.
#pragma once

#include <cstddef>
#include <span>

#include "core/rng/philox.hpp"

namespace spar {

/// An index, drawn by weights that add to 1; one whose weight is 0 never.
inline size_t draw(std::span<const double> weights, Philox& random) {
  double left = random.uniform();
  size_t last = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    if (left < weights[i]) return i;
    left -= weights[i];
    last = i;
  }
  return last;  // rounding
}

}  // namespace spar
