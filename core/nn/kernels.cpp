// One source of kernels, compiled three times. Each helper carries the tier as a function attribute: a target pragma
// would leave the feature macros undefined in GCC 12, and a file-wide -mavx512f would let the linker keep an AVX-512
// copy of an inline function that the baseline also calls.
#include <cstddef>
#include <cstdint>

#include "core/nn/kernel_tables.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SPAR_INLINE SPAR_TARGET static inline __attribute__((always_inline))
#define SPAR_FUNCTION SPAR_TARGET static

namespace spar::nn {

namespace baseline {
#define SPAR_WIDTH 4    // floats in a vector
#define SPAR_COLUMNS 2  // vectors in a tile
#define SPAR_ROW_COLUMNS 8
#define SPAR_TARGET
#if defined(__x86_64__)
#define SPAR_SQRT(x) ((Vec)_mm_sqrt_ps((__m128)(x)))
#define SPAR_MIN(a, b) ((Vec)_mm_min_ps((__m128)(a), (__m128)(b)))
#define SPAR_MAX(a, b) ((Vec)_mm_max_ps((__m128)(a), (__m128)(b)))
#endif
#include "core/nn/kernels_blocks.inc"
#include "core/nn/kernels_products.inc"
#include "core/nn/kernels_vectors.inc"
}  // namespace baseline

#undef SPAR_WIDTH
#undef SPAR_COLUMNS
#undef SPAR_ROW_COLUMNS
#undef SPAR_TARGET
#undef SPAR_SQRT
#undef SPAR_MIN
#undef SPAR_MAX

constinit const Kernels kernels_baseline = baseline::table("baseline");

#if defined(__x86_64__)
namespace avx2 {
#define SPAR_WIDTH 8
#define SPAR_COLUMNS 2
#define SPAR_ROW_COLUMNS 8
#define SPAR_TARGET __attribute__((target("avx2,fma")))
#define SPAR_SQRT(x) ((Vec)_mm256_sqrt_ps((__m256)(x)))
#define SPAR_MIN(a, b) ((Vec)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define SPAR_MAX(a, b) ((Vec)_mm256_max_ps((__m256)(a), (__m256)(b)))
#include "core/nn/kernels_blocks.inc"
#include "core/nn/kernels_products.inc"
#include "core/nn/kernels_vectors.inc"
}  // namespace avx2

#undef SPAR_WIDTH
#undef SPAR_COLUMNS
#undef SPAR_ROW_COLUMNS
#undef SPAR_TARGET
#undef SPAR_SQRT
#undef SPAR_MIN
#undef SPAR_MAX

constinit const Kernels kernels_avx2 = avx2::table("avx2");

namespace avx512 {
#define SPAR_WIDTH 16
#define SPAR_COLUMNS 4
#define SPAR_ROW_COLUMNS 4
#define SPAR_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#define SPAR_SQRT(x) ((Vec)_mm512_maskz_sqrt_ps(0xffff, (__m512)(x)))  // the unmasked ones warn in GCC 12
#define SPAR_MIN(a, b) ((Vec)_mm512_maskz_min_ps(0xffff, (__m512)(a), (__m512)(b)))
#define SPAR_MAX(a, b) ((Vec)_mm512_maskz_max_ps(0xffff, (__m512)(a), (__m512)(b)))
#include "core/nn/kernels_blocks.inc"
#include "core/nn/kernels_products.inc"
#include "core/nn/kernels_vectors.inc"
}  // namespace avx512

constinit const Kernels kernels_avx512 = avx512::table("avx512");
#endif

}  // namespace spar::nn
