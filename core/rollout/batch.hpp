// A batch that the host owns: named, 64-byte-aligned columns, presented to plugins as spar_batch.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spar/abi.h"

namespace spar::rollout {

class Batch {
 public:
  explicit Batch(uint64_t capacity) : capacity_(capacity) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Adds a column, zeroed; call before the first view(). Returns its index.
  size_t add(std::string name, uint8_t code, uint8_t bits, const std::vector<int64_t>& row_shape);

  /// What a plugin sees, with `rows` rows (at most the capacity). Valid until the next view().
  spar_batch* view(uint64_t rows, const uint64_t* index = nullptr);

  /// Some rows of a batch, as a plugin sees them.
  struct Rows {
    std::vector<spar_column> columns;
    std::deque<std::vector<int64_t>> shapes;
    spar_batch batch{};
  };
  /// Rows [first, first + n) of the columns, presented through `into`, so that several calls can look at one batch at
  /// the same time. `index`: of the first of these rows. `into` may be used for another batch of the same columns
  /// later. Allocates only when `into` is new.
  spar_batch* rows(uint64_t first, uint64_t n, const uint64_t* index, Rows& into) const;

  uint64_t capacity() const { return capacity_; }
  size_t size() const { return columns_.size(); }
  bool has(std::string_view name) const;
  size_t row_bytes(size_t column) const { return columns_[column].row_bytes; }
  std::byte* bytes(size_t column) const { return columns_[column].memory.get(); }
  template <class T>
  T* data(size_t column) const {
    return reinterpret_cast<T*>(columns_[column].memory.get());
  }
  const std::string& name(size_t column) const { return columns_[column].name; }

 private:
  struct Release {
    void operator()(std::byte* p) const;
  };
  struct Column {
    std::string name;
    std::vector<int64_t> shape;
    size_t row_bytes;
    std::unique_ptr<std::byte, Release> memory;
  };

  uint64_t capacity_;
  std::deque<Column> columns_;
  std::vector<spar_column> abi_;
  spar_batch batch_{};
};

/// Copies the rows of `lanes`, ascending and not empty, one after the other; `from` has a row per lane.
void take_rows(const std::byte* from, size_t row_bytes, const std::vector<uint64_t>& lanes, std::byte* to);

}  // namespace spar::rollout
