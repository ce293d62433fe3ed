// Normal numbers from pairs of uniform ones (Box and Muller 1958), many at a time.
#pragma once

#include <cstddef>

namespace spar {

/// first_i = r cos(2 pi v_i) and second_i = r sin(2 pi v_i) with r = sqrt(-2 log(1 - u_i)); u, v in [0, 1). Errors of a
/// few units in the last place; the same bits for every n and on every processor.
void box_muller(size_t n, const double* u, const double* v, double* first, double* second);

}  // namespace spar
