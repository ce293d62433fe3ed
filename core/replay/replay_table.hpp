// The replay table: a ring of n-step transitions, the windows that complete them, and a selector.
#pragma once

#include <optional>
#include <vector>

#include "core/replay/aligned.hpp"
#include "core/replay/memory.hpp"
#include "core/replay/prioritised.hpp"
#include "spar/rl/nstep.hpp"

namespace spar::replay {

/// A transition enters the ring when its n-step window closes and replaces the oldest one when the ring is full. Its
/// index counts all transitions ever inserted: index % capacity is the slot, index / capacity the generation of the
/// slot, so a late priority for an overwritten transition is recognised and dropped.
class ReplayTable final : public Memory {
 public:
  /// Both must outlive the table.
  ReplayTable(const BufferSpec& spec, const Layout& layout);

  void append(const StepRows& rows) override;
  uint64_t size() const override { return inserted_ < spec_->capacity ? inserted_ : spec_->capacity; }
  uint64_t inserted() const override { return inserted_; }
  spar_batch sample(uint64_t n, double beta, Philox& random, PooledBatch& batch) override;
  void copy(std::span<const uint64_t> index, std::span<std::byte* const> columns) override;
  void set_priority(std::span<const uint64_t> index, std::span<const float> p) override;
  void after_learn() override {}
  /// Windows that are open lose their transitions: the observation after their last step is not known any more.
  void cut() override;
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;
  size_t bytes() const override { return ring_.size() + bytes_beside(); }
  size_t bytes_with(uint64_t rows) const override;
  size_t saved_bytes(uint64_t rows) const override;

  /// Share of the next draw that falls on a transition; 0 if it was overwritten. Throws Error E0804 if no such index
  /// was given out.
  double probability(uint64_t index) const;

 private:
  /// Head of the record of step `start` of a lane, kept until its window closes.
  std::byte* waiting(uint64_t lane, uint64_t start) {
    return waiting_.data() + (lane * spec_->n_step + start % spec_->n_step) * layout_->known;
  }
  const std::byte* waiting(uint64_t lane, uint64_t start) const {
    return waiting_.data() + (lane * spec_->n_step + start % spec_->n_step) * layout_->known;
  }
  std::byte* record(uint64_t slot) { return ring_.data() + slot * layout_->stride; }
  void append_row(const StepRows& rows, uint64_t row);
  void draw_uniform(Philox& random, std::span<uint64_t> slots) const;
  size_t bytes_beside() const;  ///< all but the ring
  /// Every index is of a transition that is still there, every p one that can be set.
  bool all_usable(std::span<const uint64_t> index, std::span<const float> p) const;
  bool known_index(uint64_t index) const;  ///< false: overwritten; Error E0804 if never given out

  const BufferSpec* spec_;
  const Layout* layout_;
  AlignedBytes ring_;
  AlignedBytes waiting_;  ///< [lanes, n_step, known]; unused for one step
  std::vector<rl::NStepWindow> windows_;
  std::optional<Prioritised> priorities_;
  uint64_t inserted_ = 0;
  std::vector<uint64_t> slots_;  ///< scratch
  std::vector<float> new_p_;     ///< scratch
};

}  // namespace spar::replay
