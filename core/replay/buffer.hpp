// The memory of one learner: what spar_ctx::buffer points to, what rollout workers append to and what spar.buffer/1
// draws from.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/base/bytes.hpp"
#include "core/replay/batch_pool.hpp"
#include "core/replay/layout.hpp"
#include "core/replay/memory.hpp"
#include "core/replay/rows.hpp"
#include "core/replay/spec.hpp"
#include "core/rng/philox.hpp"

namespace spar::replay {

/// Who draws from a memory: what decides its samples, and the batches that it was lent.
struct Reader {
  Philox random;
  BatchPool pool;
};

/// Calls are [serial], except size(). After a few calls nothing allocates. Every refused call leaves the memory as it
/// was.
class Buffer {
 public:
  /// `random` decides the samples and is part of the saved state. Throws Error E0801 if the specification makes no
  /// sense or needs more memory than there is.
  Buffer(BufferSpec spec, Philox random);

  const BufferSpec& spec() const { return spec_; }
  uint64_t size() const { return size_.load(std::memory_order_relaxed); }  ///< transitions, n-step windows closed
  uint64_t inserted() const { return memory_->inserted(); }                ///< transitions ever

  /// Throws Error E0802.
  void append(const StepRows& rows);

  /// Lends a batch (columns, index and weight as in spar/abi/types.h); several may be out at once. Replay: n >= 1 rows
  /// drawn with replacement. Rollout: n = 0, all rows. `out` has its struct_size set. Throws Error E0803, and E0806 if
  /// nothing is stored yet.
  void sample(uint64_t n, double beta, spar_batch* out);
  /// The same for another reader than the memory's own.
  void sample(Reader& reader, uint64_t n, double beta, spar_batch* out);
  /// A reader of this memory, which outlives it.
  Reader make_reader(Philox random) const { return {random, BatchPool(layout_)}; }
  /// Takes a lent batch back and empties it; a batch that is empty already is ignored. Throws Error E0803.
  void release(spar_batch* batch);
  static void release(Reader& reader, spar_batch* batch);

  /// Where the rows of a batch on loan lie: what copy() takes, of a rollout too, whose batches show no index.
  std::span<const uint64_t> places(const spar_batch& lent) const;
  /// Copies transitions that are still there: field f of layout() to columns[f], where that is not null. Throws Error
  /// E0808.
  void copy(std::span<const uint64_t> places, std::span<std::byte* const> columns);
  const Layout& layout() const { return layout_; }

  /// p = |error| of sampled transitions; those overwritten since are dropped. Throws Error E0804.
  void set_priority(const uint64_t* index, const float* p, uint64_t n);

  /// After each learning phase: a rollout starts anew, a replay table keeps everything.
  void after_learn();
  /// The environment copies were reset from outside: no window and no segment goes on.
  void cut();

  /// Exact: contents, cursor, priorities, open windows, generator. Lent batches are not part of it.
  void save(ByteWriter& out) const;
  /// Throws Error E0805 if it was saved by a memory of another specification, E0501 or E0805 if it is damaged.
  void load(ByteReader& in);

  size_t bytes() const;  ///< reserved, lent batches included
  /// In use once `rows` transitions were stored and a batch of `batch_rows` was lent.
  size_t bytes_with(uint64_t rows, uint64_t batch_rows) const;
  /// What save() writes with so many transitions.
  size_t saved_bytes(uint64_t rows) const;

  const Memory& memory() const { return *memory_; }

 private:
  std::unique_ptr<Memory> make_memory() const;

  BufferSpec spec_;
  Layout layout_;
  std::unique_ptr<Memory> memory_;
  Reader own_;
  std::atomic<uint64_t> size_{0};
};

}  // namespace spar::replay
