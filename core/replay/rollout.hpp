// Rollout memory of on-policy algorithms: every step since the last learning phase, in order.
#pragma once

#include <vector>

#include "core/replay/aligned.hpp"
#include "core/replay/memory.hpp"

namespace spar::replay {

/// Steps are kept as they arrive and handed out ordered by lane, then time. The capacity is what is reserved; when
/// copies step together a phase may end a few rows later, so the memory grows instead of refusing them.
class Rollout final : public Memory {
 public:
  /// Both must outlive the rollout.
  Rollout(const BufferSpec& spec, const Layout& layout);

  void append(const StepRows& rows) override;
  uint64_t size() const override { return lanes_.size(); }
  uint64_t inserted() const override { return inserted_; }
  /// All rows. "last" is 1 where a segment ends: at the end of an episode, and at each lane's newest row.
  spar_batch sample(uint64_t n, double beta, Philox& random, PooledBatch& batch) override;
  void copy(std::span<const uint64_t> index, std::span<std::byte* const> columns) override;
  void set_priority(std::span<const uint64_t> index, std::span<const float> p) override;
  void after_learn() override { lanes_.clear(); }
  /// The newest row of each lane becomes a truncation.
  void cut() override;
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;
  size_t bytes() const override { return records_.size() + lanes_.capacity() * sizeof(uint64_t); }
  size_t bytes_with(uint64_t rows) const override { return rows * (layout_->stride + sizeof(uint64_t)); }
  size_t saved_bytes(uint64_t rows) const override { return 64 + rows * (layout_->payload + sizeof(uint64_t)); }

 private:
  std::byte* record(uint64_t row) { return records_.data() + row * layout_->stride; }
  void reserve(uint64_t rows);

  const BufferSpec* spec_;
  const Layout* layout_;
  AlignedBytes records_;
  std::vector<uint64_t> lanes_;  ///< of each stored row
  uint64_t inserted_ = 0;
  std::vector<uint64_t> begin_;  ///< scratch: first place of each lane in the ordered batch
};

}  // namespace spar::replay
