// Observation and action spaces as values that own their arrays.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spar/batch.hpp"

namespace spar {

/// A spar_space together with the arrays that it points to.
class Space {
 public:
  /// float32 numbers in one dimension; infinite bounds are allowed. Throws SPAR_E_INVALID if there is no bound, if the
  /// lengths differ or if a lower bound is above its upper one.
  static Space box(std::vector<double> low, std::vector<double> high) {
    if (low.empty() || low.size() != high.size()) {
      throw StatusError(SPAR_E_INVALID, "a box needs one lower and one upper bound for each number, found " +
                                            std::to_string(low.size()) + " and " + std::to_string(high.size()));
    }
    for (size_t i = 0; i < low.size(); ++i) {
      if (!(low[i] <= high[i])) {
        throw StatusError(SPAR_E_INVALID, "bound " + std::to_string(i) + " of a box is upside down: low " +
                                              std::to_string(low[i]) + ", high " + std::to_string(high[i]));
      }
    }
    Space space(SPAR_SPACE_BOX, SPAR_DTYPE_FLOAT, 32);
    space.shape_ = {static_cast<int64_t>(low.size())};
    space.low_ = std::move(low);
    space.high_ = std::move(high);
    return space;
  }
  /// `n` numbers between the same bounds.
  static Space box(int64_t n, double low, double high) {
    const auto count = static_cast<size_t>(n > 0 ? n : 0);
    return box(std::vector<double>(count, low), std::vector<double>(count, high));
  }
  /// uint8 pictures, channels x height x width, 0..255: what convolutional networks take.
  static Space frames(int64_t channels, int64_t height, int64_t width) { return image(channels, height, width); }
  /// uint8 picture, height x width x channels, 0..255.
  static Space image(int64_t height, int64_t width, int64_t channels) {
    if (height < 1 || width < 1 || channels < 1) {
      throw StatusError(SPAR_E_INVALID, "an image needs at least 1 x 1 x 1 numbers, found " + std::to_string(height) +
                                            " x " + std::to_string(width) + " x " + std::to_string(channels));
    }
    Space space(SPAR_SPACE_BOX, SPAR_DTYPE_UINT, 8);
    space.shape_ = {height, width, channels};
    const auto count = static_cast<size_t>(height * width * channels);
    space.low_.assign(count, 0);
    space.high_.assign(count, 255);
    return space;
  }
  /// 0 .. n-1.
  static Space discrete(int64_t n) {
    if (n < 1) throw StatusError(SPAR_E_INVALID, "a discrete space needs at least 1 value, found " + std::to_string(n));
    Space space(SPAR_SPACE_DISCRETE, SPAR_DTYPE_INT, 64);
    space.space_.n = n;
    return space;
  }

  /// The space as the contract spells it; valid until this object is assigned, moved or destroyed.
  const spar_space* abi() {
    space_.ndim = static_cast<int32_t>(shape_.size());
    space_.shape = shape_.empty() ? nullptr : shape_.data();
    space_.low = low_.empty() ? nullptr : low_.data();
    space_.high = high_.empty() ? nullptr : high_.data();
    return &space_;
  }
  uint32_t kind() const { return space_.kind; }
  uint8_t code() const { return space_.code; }
  uint8_t bits() const { return space_.bits; }
  int64_t n() const { return space_.n; }  ///< number of values of a discrete space
  /// Numbers in one element: product of the shape, 1 for a discrete space.
  uint64_t width() const {
    uint64_t width = 1;
    for (const int64_t size : shape_) width *= static_cast<uint64_t>(size);
    return width;
  }

 private:
  Space(uint32_t kind, uint8_t code, uint8_t bits) {
    space_.struct_size = sizeof space_;
    space_.kind = kind;
    space_.code = code;
    space_.bits = bits;
    space_.lanes = 1;
  }

  spar_space space_{};
  std::vector<int64_t> shape_;
  std::vector<double> low_, high_;
};

}  // namespace spar
