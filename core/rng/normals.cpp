#include "core/rng/normals.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/base/target.hpp"

namespace spar {
namespace {

#if defined(__GNUC__)
#define SPAR_INLINE __attribute__((always_inline)) inline
#else
#define SPAR_INLINE inline
#endif

/// log(x) for 2^-53 <= x <= 1: x = 2^k m with sqrt(1/2) <= m < sqrt(2), log m = 2 artanh(s) with s = (m - 1) / (m + 1)
/// by its series, of which eleven terms are enough for |s| < 0.172.
SPAR_INLINE double log_of(double x) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t up = (bits - kRootHalf + (uint64_t{1024} << 52)) >> 52;  // k + 1024
  const double k = std::bit_cast<double>(up | 0x4330000000000000) - (4503599627370496.0 + 1024.0);
  const double m = std::bit_cast<double>(bits - ((up - 1024) << 52));
  const double f = m - 1.0, s = f / (f + 2.0), z = s * s;
  double series = z * (1.0 / 23) + 1.0 / 21;
  series = series * z + 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  return k * kLn2High + (2.0 * s + (2.0 * s * z * series + k * kLn2Low));
}

/// The sine and the cosine of 2 pi v for 0 <= v < 1, by whole quarters of a turn and the Taylor series of what remains.
SPAR_INLINE void sine_and_cosine(double v, double& sine, double& cosine) {
  constexpr double kRound = 6755399441055744.0, kHalfPi = 1.57079632679489661923;  // 1.5 * 2^52: adding it rounds
  const double turned = 4.0 * v + kRound, x = (4.0 * v - (turned - kRound)) * kHalfPi, z = x * x;
  const uint64_t quarter = std::bit_cast<uint64_t>(turned);
  double s = z * (1.0 / 355687428096000.0) - 1.0 / 1307674368000.0;
  s = s * z + 1.0 / 6227020800.0;
  s = s * z - 1.0 / 39916800.0;
  s = s * z + 1.0 / 362880.0;
  s = s * z - 1.0 / 5040.0;
  s = s * z + 1.0 / 120.0;
  s = s * z - 1.0 / 6.0;
  s = x + x * z * s;
  double c = z * (1.0 / 20922789888000.0) - 1.0 / 87178291200.0;
  c = c * z + 1.0 / 479001600.0;
  c = c * z - 1.0 / 3628800.0;
  c = c * z + 1.0 / 40320.0;
  c = c * z - 1.0 / 720.0;
  c = c * z + 1.0 / 24.0;
  c = (1.0 - 0.5 * z) + z * z * c;
  // In the second and the fourth quarter they change places; the signs go by the quarter.
  const uint64_t swap = uint64_t{0} - (quarter & 1), one = std::bit_cast<uint64_t>(s),
                 other = std::bit_cast<uint64_t>(c);
  const uint64_t of_sine = ((one & ~swap) | (other & swap)) ^ ((quarter & 2) << 62);
  const uint64_t of_cosine = ((other & ~swap) | (one & swap)) ^ (((quarter + 1) & 2) << 62);
  sine = std::bit_cast<double>(of_sine);
  cosine = std::bit_cast<double>(of_cosine);
}

SPAR_INLINE void all(size_t n, const double* __restrict u, const double* __restrict v, double* __restrict first,
                     double* __restrict second) {
  for (size_t i = 0; i < n; ++i) {
    double sine, cosine;
    sine_and_cosine(v[i], sine, cosine);
    const double radius = std::sqrt(-2.0 * log_of(1.0 - u[i]));
    first[i] = radius * cosine;
    second[i] = radius * sine;
  }
}

#if defined(__x86_64__)
SPAR_TARGET_512("avx512f,avx512dq,avx512vl")
void all_512(size_t n, const double* u, const double* v, double* first, double* second) { all(n, u, v, first, second); }
__attribute__((target("avx2"))) void all_256(size_t n, const double* u, const double* v, double* first,
                                             double* second) {
  all(n, u, v, first, second);
}
#endif
void all_128(size_t n, const double* u, const double* v, double* first, double* second) { all(n, u, v, first, second); }

using Pairs = void (*)(size_t, const double*, const double*, double*, double*);

Pairs widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return all_512;
  if (__builtin_cpu_supports("avx2")) return all_256;
#endif
  return all_128;
}

}  // namespace

void box_muller(size_t n, const double* u, const double* v, double* first, double* second) {
  if (n < 4) return all_128(n, u, v, first, second);  // vectors would wait for more
  static const Pairs pairs = widest();
  pairs(n, u, v, first, second);
}

}  // namespace spar
