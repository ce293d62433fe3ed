// Numbers of the caller, borrowed for one call, and the checks that every call makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "spar/batch.hpp"

namespace spar {

template <class T>
concept Element = std::is_same_v<T, float> || std::is_same_v<T, int64_t> || std::is_same_v<T, uint8_t>;

/// A row-major block of float, int64_t or uint8_t: a vector, an array, a span.
class Numbers {
 public:
  Numbers() = default;
  template <std::ranges::contiguous_range Range>
  requires Element<std::remove_cv_t<std::ranges::range_value_t<Range>>> Numbers(const Range& range)  // NOLINT: implicit
      : Numbers(std::ranges::data(range), std::ranges::size(range)) {}
  template <Element T>
  Numbers(const T* first, size_t n)
      : bytes(reinterpret_cast<const std::byte*>(first)),
        size(n),
        code(dtype_code<T>()),
        bits(static_cast<uint8_t>(8 * sizeof(T))) {}

  const std::byte* bytes = nullptr;
  size_t size = 0;  ///< numbers
  uint8_t code = SPAR_DTYPE_FLOAT, bits = 32;

  size_t size_bytes() const { return size * bits / 8; }
};

/// What a column must be.
struct ColumnType {
  uint8_t code, bits;
  std::vector<int64_t> row;  ///< shape of one row

  uint64_t width() const;
  std::string text() const;  ///< "f32"
};

/// "[80, 4]".
std::string shape_of(uint64_t rows, const std::vector<int64_t>& row);

/// Throws Error E1001, whose sentence begins with `what` ("act(): `obs`"), unless `numbers` are `rows` rows of `type`,
/// all finite. Both shapes are named.
void check_numbers(std::string_view what, const Numbers& numbers, const ColumnType& type, uint64_t rows);

}  // namespace spar
