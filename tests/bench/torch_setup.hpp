// How LibTorch is set in benchmarks.
#pragma once

#include <malloc.h>
#include <torch/utils.h>

namespace spar::bench {

/// One thread; memory that was freed stays with the process.
inline void prepare_torch() {
  torch::set_num_threads(1);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace spar::bench
