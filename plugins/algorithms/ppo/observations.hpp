// Observations as the networks take them: rows of float32 or uint8 of any shape, borrowed or gathered.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "spar/network.hpp"

namespace ppo {

/// `rows` observations that lie one behind the other; owns nothing.
struct ObservationView {
  ObservationView(const void* data, uint64_t rows, const spar::InputSpec& input) {
    const size_t rank = std::min(input.shape.size(), shape.size() - 1);
    shape[0] = static_cast<int64_t>(rows);
    std::copy_n(input.shape.begin(), rank, shape.begin() + 1);
    tensor.data = const_cast<void*>(data);
    tensor.device_type = SPAR_DEVICE_CPU;
    tensor.ndim = static_cast<int32_t>(rank + 1);
    tensor.code = input.bytes ? SPAR_DTYPE_UINT : SPAR_DTYPE_FLOAT;
    tensor.bits = input.bytes ? 8 : 32;
    tensor.lanes = 1;
    tensor.shape = shape.data();
  }
  ObservationView(const ObservationView&) = delete;
  ObservationView& operator=(const ObservationView&) = delete;

  std::array<int64_t, 9> shape{};  ///< a space has at most 8 dimensions
  spar_tensor tensor{};
};

/// The rows of one column.
class Observations {
 public:
  /// Throws SPAR_E_INVALID if the batch has no such column, or one of another type or width.
  Observations(const spar_batch& batch, std::string_view name, const spar::InputSpec& input) : input_(input) {
    if (input.bytes) {
      const auto rows = spar::column<uint8_t>(batch, name);
      set(rows.data, rows.width, sizeof(uint8_t), name);
    } else {
      const auto rows = spar::column<float>(batch, name);
      set(rows.data, rows.width, sizeof(float), name);
    }
  }

  size_t row_bytes() const { return row_bytes_; }
  const std::byte* row(uint64_t i) const { return data_ + i * row_bytes_; }
  ObservationView view(uint64_t begin, uint64_t rows) const { return {row(begin), rows, input_}; }

 private:
  void set(const void* data, uint64_t width, size_t number, std::string_view name) {
    uint64_t expected = 1;
    for (const int64_t extent : input_.shape) expected *= static_cast<uint64_t>(extent);
    if (width != expected)
      throw spar::StatusError(SPAR_E_INVALID, "column `" + std::string(name) + "` has rows of " +
                                                  std::to_string(width) + " numbers, expected " +
                                                  std::to_string(expected));
    data_ = static_cast<const std::byte*>(data);
    row_bytes_ = static_cast<size_t>(width) * number;
  }

  const spar::InputSpec& input_;
  const std::byte* data_ = nullptr;
  size_t row_bytes_ = 0;
};

/// Room for `most` gathered rows.
class GatheredObservations {
 public:
  GatheredObservations(const spar::InputSpec& input, uint64_t most) : input_(input) {
    size_t row = input.bytes ? sizeof(uint8_t) : sizeof(float);
    for (const int64_t extent : input.shape) row *= static_cast<size_t>(extent);
    bytes_.resize(most * row);
  }

  void put(uint64_t i, const Observations& from, uint64_t row) {
    const size_t n = from.row_bytes();
    std::byte* to = bytes_.data() + i * n;
    const std::byte* source = from.row(row);
    if (!is_short(n)) {
      std::memcpy(to, source, n);
      return;
    }
    for (size_t at = 0; at < n; at += sizeof(float)) std::memcpy(to + at, source + at, sizeof(float));  // no call
  }
  /// Whether row i is the given one.
  bool holds(uint64_t i, const Observations& other, uint64_t row) const {
    const size_t n = other.row_bytes();
    const std::byte *a = bytes_.data() + i * n, *b = other.row(row);
    if (!is_short(n)) return std::memcmp(a, b, n) == 0;
    uint32_t differing = 0;
    for (size_t at = 0; at < n; at += sizeof(float)) {
      uint32_t x, y;
      std::memcpy(&x, a + at, sizeof x);
      std::memcpy(&y, b + at, sizeof y);
      differing |= x ^ y;
    }
    return differing == 0;
  }
  ObservationView view(uint64_t rows) const { return {bytes_.data(), rows, input_}; }

 private:
  /// A call would take longer than a few moves.
  static bool is_short(size_t n) { return n <= 64 && n % sizeof(float) == 0; }

  spar::InputSpec input_;
  std::vector<std::byte> bytes_;
};

}  // namespace ppo
