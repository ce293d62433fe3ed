// The highest rate of fused multiply-adds that one core of this machine gives, in GFLOP/s: the limit of every product.
#pragma once

#include <cstdint>

#include "core/bench/stopwatch.hpp"
#include "core/nn/tier.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace spar::bench {

#if defined(__x86_64__)
// Twelve independent sums: more than latency times issue width of the processors we know. The asm keeps the loop from
// being folded.
__attribute__((target("avx512f"))) inline void fma_loop_512(uint64_t turns) {
  __m512 sum[12];
  for (auto& s : sum) s = _mm512_set1_ps(1.0f);
  const __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f);
  for (uint64_t t = 0; t < turns; ++t)
    for (auto& s : sum) {
      s = _mm512_fmadd_ps(s, a, b);
      asm volatile("" : "+v"(s));
    }
}
__attribute__((target("avx2,fma"))) inline void fma_loop_256(uint64_t turns) {
  __m256 sum[12];
  for (auto& s : sum) s = _mm256_set1_ps(1.0f);
  const __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
  for (uint64_t t = 0; t < turns; ++t)
    for (auto& s : sum) {
      s = _mm256_fmadd_ps(s, a, b);
      asm volatile("" : "+x"(s));
    }
}
#endif

/// With the vectors of the kernels in use (SPAR_CPU); 0 for the portable ones, which have no fused multiply-add. A core
/// that had nothing to do gives half of it for a while: the best of at least `times` and of at least 50 ms.
inline double fma_peak_gflops(int times = 20) {
#if defined(__x86_64__)
  constexpr uint64_t kTurns = 100000;
  constexpr double kWarmUp = 0.05;
  const std::string_view tier = nn::active_tier();
  if (tier == "baseline") return 0.0;
  const bool wide = tier == "avx512";
  const auto turn = [wide] { wide ? fma_loop_512(kTurns) : fma_loop_256(kTurns); };
  double seconds = best_seconds(times, turn);
  for (const double start = thread_seconds(); thread_seconds() < start + kWarmUp;)
    seconds = std::min(seconds, best_seconds(1, turn));
  return 2.0 * 12.0 * (wide ? 16.0 : 8.0) * static_cast<double>(kTurns) / seconds * 1e-9;
#else
  (void)times;
  return 0.0;
#endif
}

}  // namespace spar::bench
