// What one of several threads does of a piece of work.
#pragma once

#include <algorithm>
#include <cstddef>

namespace spar::nn {

struct Range {
  size_t from, end;
};

/// Number `index` of `of` shares.
struct Share {
  size_t index, of;

  /// Of the numbers [0, n): shares begin at multiples of `step`. 48 are whole tiles of six rows, and whole vectors.
  Range of_numbers(size_t n, size_t step = 48) const { return {begin(index, n, step), begin(index + 1, n, step)}; }

 private:
  size_t begin(size_t i, size_t n, size_t step) const {
    return i == of ? n : std::min(n, (n * i / of + step / 2) / step * step);
  }
};

}  // namespace spar::nn
