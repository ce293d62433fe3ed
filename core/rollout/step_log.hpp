// What happened at a seat while its learner was busy, in order, until the learner can take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rollout/environment.hpp"
#include "core/rollout/learner.hpp"

namespace spar::rollout {

class StepLog {
 public:
  /// `action_bytes`: of one row of actions.
  StepLog(const AgentPort& port, size_t action_bytes);

  /// Observations for Learner::watch(): the first columns of `seen`, before they are transformed.
  void watch(const Batch& seen, uint64_t rows);
  /// A step for Learner::remember(). Both copy; nothing is allocated once the log has been as long before.
  void remember(const StepView& step, uint64_t rows);

  /// Gives the learner everything in the order in which it came, and forgets it.
  void settle(Learner& learner);

 private:
  struct Entry {
    uint64_t rows;
    size_t at;     ///< of its first column in memory_
    bool watched;  ///< else remembered
  };
  /// Room for `bytes`; the columns of an entry follow each other, each on a cache line of its own.
  std::byte* room(size_t bytes);
  void copy(const void* from, size_t bytes);
  /// The next column of an entry.
  const std::byte* next(size_t& at, size_t bytes) const;

  size_t leaves_, action_bytes_;
  std::vector<size_t> widths_;  ///< bytes of a row, like AgentPort::observed
  std::vector<std::byte> memory_;
  size_t used_ = 0;
  std::vector<Entry> entries_;
  StepView view_;
  std::vector<const void*> leaf_data_;
};

}  // namespace spar::rollout
