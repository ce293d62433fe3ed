// Sums that do not wait for themselves.
#pragma once

#include <cstddef>

namespace spar::game {

/// term(0) + .. + term(n - 1) in four strands, which the processor adds at the same time.
template <class Term>
double sum_of(size_t n, Term&& term) {
  double strand[4] = {};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; ++k) strand[k] += term(i + k);
  for (; i < n; ++i) strand[0] += term(i);
  return (strand[0] + strand[1]) + (strand[2] + strand[3]);
}

}  // namespace spar::game
