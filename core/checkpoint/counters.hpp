// The training manager's own small state, so that a resumed run counts on where it was saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spar::checkpoint {

struct Counters {
  uint64_t env_steps = 0;
  uint64_t updates = 0;
  uint64_t episodes = 0;
  uint64_t metrics_seq = 0;             ///< last line of metrics.jsonl that belongs to this state
  uint64_t eval_seq = 0;                ///< last line of eval.jsonl that belongs to this state
  double seconds = 0;                   ///< trained so far, over all starts
  std::optional<double> best_return;    ///< of the evaluations so far
  uint64_t best_step = 0;               ///< where best_return was reached
  std::vector<double> recent_returns;   ///< of training episodes, oldest first
  std::map<std::string, uint64_t> due;  ///< step at which each recurring duty is due next: "eval", "publish", ..

  bool operator==(const Counters&) const = default;
};

inline constexpr size_t kMaxCountersBytes = size_t{1} << 20;

/// As the bytes of a section. Throws E0506 if they exceed 1 MiB.
std::vector<std::byte> pack(const Counters& counters);

/// Throws E0501 naming `what` (the section), if the bytes are not those of pack(). Never reserves more memory than a
/// small multiple of the bytes, whatever lengths they claim.
Counters unpack_counters(std::span<const std::byte> bytes, std::string_view what);

}  // namespace spar::checkpoint
