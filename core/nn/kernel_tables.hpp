// The tables behind tier.hpp, each compiled for one tier.
#pragma once

#include "core/nn/kernels.hpp"

namespace spar::nn {

extern const Kernels kernels_baseline;
#if defined(__x86_64__)
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

}  // namespace spar::nn
