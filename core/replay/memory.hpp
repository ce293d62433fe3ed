// What replay table and rollout have in common.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/bytes.hpp"
#include "core/replay/batch_pool.hpp"
#include "core/replay/layout.hpp"
#include "core/rng/philox.hpp"

namespace spar::replay {

/// Rows come in checked (Layout::check_rows); every call is [serial].
class Memory {
 public:
  virtual ~Memory() = default;

  virtual void append(const StepRows& rows) = 0;
  /// Transitions that a sample can hold.
  virtual uint64_t size() const = 0;
  /// Transitions ever completed.
  virtual uint64_t inserted() const = 0;
  /// Fills a batch of n rows (rollout: of all, n is 0 or their number). Precondition: size() > 0.
  virtual spar_batch sample(uint64_t n, double beta, Philox& random, PooledBatch& batch) = 0;
  /// Copies transitions by their index, of a rollout by their number: field f to columns[f], where that is not null.
  /// Throws Error E0808 where one is not there (any more).
  virtual void copy(std::span<const uint64_t> index, std::span<std::byte* const> columns) = 0;
  virtual void set_priority(std::span<const uint64_t> index, std::span<const float> p) = 0;
  /// The learner has used what it sampled.
  virtual void after_learn() = 0;
  /// The environment copies were reset from outside: what comes next does not continue what came before.
  virtual void cut() = 0;
  virtual void save(ByteWriter& out) const = 0;
  /// Into a fresh memory of the same specification; after an exception it is of no use.
  virtual void load(ByteReader& in) = 0;
  virtual size_t bytes() const = 0;
  /// What is in use once `rows` transitions were stored; what was only reserved costs nothing.
  virtual size_t bytes_with(uint64_t rows) const = 0;
  /// What save() writes then.
  virtual size_t saved_bytes(uint64_t rows) const = 0;
};

}  // namespace spar::replay
