// spar.buffer/1 as algorithms see it: the replay module's table, with the learner's transforms applied to every sample.
#pragma once

#include "spar/abi.h"

namespace spar::rollout {

/// A batch that an embedder gives to one learn(): sample() lends it instead of rows of the memory, and priorities are
/// dropped. Its columns are as sample() would give them, transforms applied.
struct Given {
  spar_batch batch{};
  bool taken = false;   ///< the algorithm has sampled it
  uint64_t wanted = 0;  ///< rows that the algorithm asked for and did not get; 0: there was no such call
};

const spar_svc_buffer& sampling_service();

}  // namespace spar::rollout
