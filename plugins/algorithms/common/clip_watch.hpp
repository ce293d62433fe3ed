// Watches how many targets the support cannot hold: what lies outside is learnt as the support's end.
#pragma once

#include <cstdint>
#include <optional>

#include "spar/stream.hpp"

namespace common {

class ClipWatch {
 public:
  static constexpr double kMost = 0.01;

  /// window: targets that are judged together.
  explicit ClipWatch(uint64_t window) : window_(window) {}

  /// Counts `clipped` of `targets`. The share of a full window, the first time that it is above kMost.
  std::optional<double> add(uint64_t clipped, uint64_t targets) {
    clipped_ += clipped;
    targets_ += targets;
    if (warned_ || targets_ < window_) return std::nullopt;
    const double share = static_cast<double>(clipped_) / static_cast<double>(targets_);
    clipped_ = targets_ = 0;
    if (share <= kMost) return std::nullopt;
    warned_ = 1;
    return share;
  }

  void save(spar::StreamWriter& writer) const {
    writer.put(clipped_);
    writer.put(targets_);
    writer.put(warned_);
  }
  void load(spar::StreamReader& reader) {
    clipped_ = reader.get<uint64_t>();
    targets_ = reader.get<uint64_t>();
    warned_ = reader.get<uint8_t>();
  }

 private:
  uint64_t window_, clipped_ = 0, targets_ = 0;
  uint8_t warned_ = 0;
};

}  // namespace common
