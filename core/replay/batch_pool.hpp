// Sampled batches: memory that the buffer lends and takes back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/replay/aligned.hpp"
#include "core/replay/layout.hpp"

namespace spar::replay {

/// One lent batch: a block of memory cut into columns.
class PooledBatch {
 public:
  explicit PooledBatch(const Layout& layout);

  /// Makes room for `rows` rows; allocates only if there never were as many.
  void resize(uint64_t rows);
  /// What it takes for so many rows.
  static size_t bytes_of(const Layout& layout, uint64_t rows);

  uint64_t rows() const { return rows_; }
  std::span<std::byte* const> columns() const { return data_; }
  std::span<uint64_t> index() { return {index_.data(), static_cast<size_t>(rows_)}; }
  std::span<float> weight() { return {weight_.data(), static_cast<size_t>(rows_)}; }

  /// The batch as the contract shows it; `token` is this object.
  spar_batch view(bool with_index, bool with_weight);

 private:
  friend class BatchPool;

  std::vector<ColumnShape> shapes_;
  std::vector<std::vector<int64_t>> dimensions_;  ///< per column: rows, then the row's shape
  std::vector<std::byte*> data_;
  std::vector<spar_column> columns_;
  std::vector<uint64_t> index_;
  std::vector<float> weight_;
  AlignedBytes memory_;
  uint64_t rows_ = 0, capacity_ = 0;
  bool lent_ = false;
};

/// Batches that are out and batches that wait to be used again.
class BatchPool {
 public:
  /// The layout must outlive the pool.
  explicit BatchPool(const Layout& layout) : layout_(&layout) {}

  /// Throws Error E0803 when kMostLent batches are out.
  PooledBatch& lend();
  /// Throws Error E0803 for a token that is not out.
  void take_back(const void* token);
  size_t lent() const;
  size_t bytes() const;

  static constexpr size_t kMostLent = 64;

 private:
  const Layout* layout_;
  std::vector<std::unique_ptr<PooledBatch>> batches_;
};

}  // namespace spar::replay
