// How the pure functions take arrays: anything with data() and size() (std::vector, std::array, std::span, or a View of
// foreign memory). Lengths are part of every contract and are compared, so a [B] array never meets a [B, B] one
// silently. C++17, standard library only, like all of spar/rl.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace spar::rl {

/// A borrowed array.
template <class T>
class View {
 public:
  constexpr View(T* data, size_t size) : data_(data), size_(size) {}
  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }

 private:
  T* data_;
  size_t size_;
};

/// Element type of an array, without const.
template <class Array>
using ElementOf = std::remove_const_t<std::remove_reference_t<decltype(*std::declval<Array&>().data())>>;

/// Throws std::invalid_argument unless `found` items are what `expected` asks for.
inline void require_size(size_t expected, size_t found, const char* what) {
  if (expected != found)
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(found) + " items where " +
                                std::to_string(expected) + " are expected: pass arrays of equal shape");
}

/// Columns of a [rows, columns] array of `size` items; throws std::invalid_argument if the rows do not come out even.
inline size_t columns_of(size_t size, size_t rows, const char* what) {
  if (rows == 0) {
    require_size(0, size, what);
    return 0;
  }
  if (size == 0 || size % rows != 0)
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(size) +
                                " items, which are no whole rows of a batch of " + std::to_string(rows) +
                                ": pass [rows, columns]");
  return size / rows;
}

}  // namespace spar::rl
