// Memories full of transitions, and the bare gather that they are held against.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/replay/aligned.hpp"
#include "core/replay/buffer.hpp"

namespace spar::bench {

using replay::Buffer, replay::BufferSpec;

inline constexpr uint64_t kRows = 256;  ///< of a sample

inline BufferSpec spec_of(uint32_t kind, uint64_t capacity, replay::ColumnShape obs) {
  BufferSpec spec;
  spec.kind = kind;
  spec.capacity = capacity;
  spec.observed = {std::move(obs)};
  spec.acted = {{"action", SPAR_DTYPE_INT, 64, {}}};
  return spec;
}

inline const replay::ColumnShape kFour{"obs", SPAR_DTYPE_FLOAT, 32, {4}};
inline const replay::ColumnShape kFrame{"obs", SPAR_DTYPE_UINT, 8, {84, 84}};

/// Fills the whole memory with the same step.
inline void fill(Buffer& buffer, uint64_t capacity, size_t observation_bytes) {
  const std::vector<std::byte> obs(observation_bytes);
  const int64_t action = 0;
  const float reward = 1;
  const uint8_t no = 0;
  const void* observed[] = {obs.data()};
  const void* acted[] = {&action};
  for (uint64_t i = 0; i < capacity; ++i) buffer.append({1, nullptr, observed, acted, observed, &reward, &no, &no});
}

inline void sample(Buffer& buffer, uint64_t rows, double beta = 0) {
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  buffer.sample(rows, beta, &batch);
  buffer.release(&batch);
}

/// Sample, then new priorities for what was sampled, as a learner does.
inline void sample_and_update(Buffer& buffer, uint64_t rows, std::vector<float>& p) {
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  buffer.sample(rows, 0.4, &batch);
  buffer.set_priority(batch.index, p.data(), rows);
  buffer.release(&batch);
}

/// The bare gather: random records of one cache line from a ring of the same size, fetched eight ahead, taken apart
/// into the columns of a transition.
class BareGather {
 public:
  BareGather(uint64_t records, uint64_t rows)
      : records_(records),
        rows_(rows),
        ring_(records * replay::kCacheLine),
        slots_(rows),
        obs_(rows * 16),
        next_(rows * 16),
        action_(rows * 8),
        reward_(rows * 4),
        discount_(rows * 4),
        terminated_(rows) {
    std::memset(ring_.data(), 1, ring_.size());  // pages that were never written would all be the same zeros
  }

  void run() {
    for (uint64_t& slot : slots_) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      slot = (state_ >> 32) % records_;
    }
    constexpr uint64_t kAhead = 8;
    for (uint64_t i = 0; i < std::min(kAhead, rows_); ++i) __builtin_prefetch(record(i));
    for (uint64_t i = 0; i < rows_; ++i) {
      if (i + kAhead < rows_) __builtin_prefetch(record(i + kAhead));
      const std::byte* from = record(i);
      std::memcpy(&obs_[i * 16], from, 16);
      std::memcpy(&action_[i * 8], from + 16, 8);
      std::memcpy(&next_[i * 16], from + 24, 16);
      std::memcpy(&reward_[i * 4], from + 40, 4);
      std::memcpy(&discount_[i * 4], from + 44, 4);
      terminated_[i] = from[48];
    }
  }

 private:
  const std::byte* record(uint64_t i) const { return ring_.data() + slots_[i] * replay::kCacheLine; }

  uint64_t records_, rows_;
  replay::AlignedBytes ring_;
  std::vector<uint64_t> slots_;
  std::vector<std::byte> obs_, next_, action_, reward_, discount_, terminated_;
  uint64_t state_ = 1;
};

}  // namespace spar::bench
