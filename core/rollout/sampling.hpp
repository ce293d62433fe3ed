// spar.buffer/1 as algorithms see it: the replay module's table, with the learner's transforms applied to every sample.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "spar/abi.h"

namespace spar::replay {
class Buffer;
}

namespace spar::rollout {

/// A batch that an embedder gives to one learn(): sample() lends it instead of rows of the memory, and priorities are
/// dropped. Its columns are as sample() would give them, transforms applied.
struct Given {
  spar_batch batch{};
  bool taken = false;   ///< the algorithm has sampled it
  uint64_t wanted = 0;  ///< rows that the algorithm asked for and did not get; 0: there was no such call
};

/// What one of several gradient workers needs to draw from the memory of their learner, into which others may write.
struct Sharing {
  std::mutex* mutex = nullptr;  ///< of the memory and of the transforms' statistics
  uint64_t sampled = 0;         ///< rows so far
  bool late = false;            ///< priorities are kept until settle(), so that their order is not that of speed
  std::vector<uint64_t> index;
  std::vector<float> priority;

  /// Priorities that were kept reach the memory. Throws Error E0804.
  void settle(replay::Buffer& buffer);
};

const spar_svc_buffer& sampling_service();

}  // namespace spar::rollout
