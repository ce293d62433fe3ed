// Replay memories against what the memory of the machine makes possible: a bare gather of the same records.
#include <cstring>
#include <vector>

#include "core/bench/bench.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/replay/aligned.hpp"
#include "core/replay/buffer.hpp"

namespace spar::bench {
namespace {

using replay::Buffer, replay::BufferSpec;

BufferSpec spec_of(uint32_t kind, uint64_t capacity, replay::ColumnShape obs) {
  BufferSpec spec;
  spec.kind = kind;
  spec.capacity = capacity;
  spec.observed = {std::move(obs)};
  spec.acted = {{"action", SPAR_DTYPE_INT, 64, {}}};
  return spec;
}

const replay::ColumnShape kFour{"obs", SPAR_DTYPE_FLOAT, 32, {4}};
const replay::ColumnShape kFrame{"obs", SPAR_DTYPE_UINT, 8, {84, 84}};

/// Fills the whole memory with the same step.
void fill(Buffer& buffer, uint64_t capacity, size_t observation_bytes) {
  const std::vector<std::byte> obs(observation_bytes);
  const int64_t action = 0;
  const float reward = 1;
  const uint8_t no = 0;
  const void* observed[] = {obs.data()};
  const void* acted[] = {&action};
  for (uint64_t i = 0; i < capacity; ++i) buffer.append({1, nullptr, observed, acted, observed, &reward, &no, &no});
}

void sample(Buffer& buffer, uint64_t rows, double beta = 0) {
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  buffer.sample(rows, beta, &batch);
  buffer.release(&batch);
}

/// Sample, then new priorities for what was sampled, as a learner does.
void sample_and_update(Buffer& buffer, uint64_t rows, std::vector<float>& p) {
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

constexpr uint64_t kRows = 256;

void measure_transitions(const Settings& settings, const Sink& sink) {
  constexpr uint64_t kCapacity = 1'000'000;
  const int times = settings.brief ? 40 : 200;
  constexpr int kCalls = 20;
  const auto us = [&](auto&& call) {
    return best_seconds(times,
                        [&] {
                          for (int i = 0; i < kCalls; ++i) call();
                        }) /
           kCalls * 1e6;
  };
  double uniform_us = 0;
  {
    BareGather bare(kCapacity, kRows);
    Buffer uniform(spec_of(SPAR_BUF_REPLAY, kCapacity, kFour), Philox(1, "bench/replay"));
    fill(uniform, kCapacity, 16);
    const double limit = us([&] { bare.run(); });
    uniform_us = us([&] { sample(uniform, kRows); });
    sink({.group = "replay",
          .name = "uniform, 256 of 1 M",
          .value = uniform_us,
          .unit = "us",
          .limit = limit,
          .limit_name = "bare prefetching gather",
          .budget = 1.15});
    const double payload = 16 + 8 + 16 + 9;
    const double padded = static_cast<double>(replay::round_up(static_cast<size_t>(payload), replay::kCacheLine));
    sink({.group = "replay",
          .name = "memory of a transition",
          .value = static_cast<double>(uniform.bytes()) / static_cast<double>(kCapacity),
          .unit = "bytes",
          .limit = padded,
          .limit_name = "payload in cache lines",
          .budget = 1.10});
  }
  Buffer prioritised(spec_of(SPAR_BUF_PRIORITIZED, kCapacity, kFour), Philox(1, "bench/replay"));
  fill(prioritised, kCapacity, 16);
  std::vector<float> p(kRows);
  Philox random(3, "bench/priorities");
  for (int i = 0; i < 4000; ++i) {  // masses as they are after a while: not all the same
    for (float& x : p) x = static_cast<float>(std::abs(random.normal()));
    sample_and_update(prioritised, kRows, p);
  }
  sink({.group = "replay",
        .name = "prioritised sample and update, 256 of 1 M",
        .value = us([&] { sample_and_update(prioritised, kRows, p); }),
        .unit = "us",
        .limit = uniform_us,
        .limit_name = "uniform sample",
        .budget = 3.0});
}

void measure_pixels(const Settings& settings, const Sink& sink) {
  constexpr uint64_t kCapacity = 20'000, kBatch = 64;
  constexpr size_t kFrameBytes = size_t{84} * 84;
  const int times = settings.brief ? 20 : 100;
  Buffer frames(spec_of(SPAR_BUF_REPLAY, kCapacity, kFrame), Philox(1, "bench/replay"));
  fill(frames, kCapacity, kFrameBytes);
  replay::AlignedBytes source(kCapacity * kFrameBytes);  // the same memory as the replay's, pages and all
  std::memset(source.data(), 1, source.size());
  std::vector<std::byte> target(2 * kBatch * kFrameBytes);
  size_t place = 0;
  const double copied_us =
      best_seconds(times,
                   [&] {  // the same number of bytes in pieces of two frames
                     for (size_t i = 0; i < kBatch; ++i) {
                       std::memcpy(&target[i * 2 * kFrameBytes], source.data() + place, 2 * kFrameBytes);
                       place = (place + size_t{7919} * 64 * kFrameBytes) % (source.size() - 2 * kFrameBytes);
                     }
                   }) *
      1e6;
  const double us = best_seconds(times, [&] { sample(frames, kBatch); }) * 1e6;
  sink({.group = "replay",
        .name = "pixels, 64 pairs of frames 84 x 84",
        .value = us,
        .unit = "us",
        .limit = copied_us,
        .limit_name = "memcpy of the same bytes",
        .budget = 1.25});
}

}  // namespace

void measure_replay(const Settings& settings, const Sink& sink) {
  measure_transitions(settings, sink);
  measure_pixels(settings, sink);
}

}  // namespace spar::bench
