// How much of the run is done and whether it should end: what spar.exec/1 answers from.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace spar::train {

class Budget {
 public:
  explicit Budget(std::optional<uint64_t> env_steps) : total_(env_steps) {}

  std::optional<uint64_t> total() const { return total_; }
  void advance_to(uint64_t env_steps) { done_.store(env_steps, std::memory_order_relaxed); }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  /// [any] 0..1 of the step budget; NaN if the run has none.
  double progress() const {
    if (!total_) return std::numeric_limits<double>::quiet_NaN();
    if (*total_ == 0) return 1.0;
    return std::fmin(1.0, static_cast<double>(done_.load(std::memory_order_relaxed)) / static_cast<double>(*total_));
  }
  /// [any]
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::optional<uint64_t> total_;
  std::atomic<uint64_t> done_{0};
  std::atomic<bool> cancelled_{false};
};

}  // namespace spar::train
