// Action masks: u8 [rows, n], 1 = allowed. No mask: everything is allowed. A row without any allowed action belongs to
// an episode that has ended, where nothing follows that could be forbidden.
#pragma once

#include <algorithm>
#include <limits>

#include "spar/batch.hpp"

namespace value_learning {

using Mask = spar::Matrix<uint8_t>;

inline size_t count_allowed(const Mask& mask, uint64_t row) {
  return mask.width - static_cast<size_t>(std::count(mask.row(row), mask.row(row) + mask.width, 0));
}

/// Forbidden actions get the value minus infinity, so that no maximum finds them. q: [rows, n].
inline void forbid(const Mask& mask, float* q) {
  if (!mask.data) return;
  for (uint64_t i = 0; i < mask.rows; ++i) {
    if (count_allowed(mask, i) == 0) continue;
    for (uint64_t a = 0; a < mask.width; ++a)
      if (mask(i, a) == 0) q[i * mask.width + a] = -std::numeric_limits<float>::infinity();
  }
}

/// The k-th allowed action of a row; k below count_allowed().
inline size_t allowed_action(const Mask& mask, uint64_t row, size_t k) {
  size_t a = 0;
  while (mask(row, a) == 0 || k-- > 0) ++a;
  return a;
}

}  // namespace value_learning
