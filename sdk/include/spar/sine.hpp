// The sine and the cosine of an angle, or of as many angles as a vector holds, by the same operations whatever the
// vectors of the processor are: a simulation gives the same bits everywhere, does not depend on the version of the C
// library, and can be written so that the compiler steps several copies at once.
//
// Error: below 0.56 units in the last place for |x| <= 1024, below 0.501 for |x| < 0.22 (tests/sdk/sine_test.cpp,
// against numbers of 64 bits); beyond 1024 they are the C library's. Those of NaN and of infinities are NaN.
//
// Method: Cody and Waite's reduction ("Software manual for the elementary functions", 1980) by three parts of pi/2, the
// first two short enough that their multiples are exact, and Dekker's sums for what each step leaves over ("A
// floating-point technique for extending the available precision", 1971). The polynomials are interpolated at Chebyshev
// nodes for |x| <= pi/4; the cubic term of the sine and the square of the cosine, of which a rounding would be seen,
// are computed in two parts, the first from the 16 upper bits of x and exact. No fused multiply-add is assumed or used
// (compiled with -ffp-contract=off, as spar_add_plugin() does).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "spar/rl/vector_block.hpp"

namespace spar {

namespace detail {

/// Integers as wide as a double or as the doubles of a vector, of the type that comparing such vectors gives.
template <class V>
struct BitsOf {
  using type = decltype(V{} < V{});
};
template <>
struct BitsOf<double> {
  using type = std::uint64_t;
};

template <class To, class From>
SPAR_RL_INLINE void copy_bits(To& to, const From& from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits as another type");
  std::memcpy(&to, &from, sizeof to);
}

constexpr double kSineRange = 1024;

template <class V>
SPAR_RL_INLINE bool any_beyond_range(const V& x) {
  if constexpr (std::is_same_v<V, double>) {
    return std::fabs(x) > kSineRange;
  } else {
    const auto beyond = (x > kSineRange) | (x < -kSineRange);
    std::int64_t lanes[sizeof(V) / sizeof(double)], any = 0;
    std::memcpy(lanes, &beyond, sizeof lanes);
    for (const std::int64_t lane : lanes) any |= lane;
    return any != 0;
  }
}

/// What the C library says of the numbers that are beyond the range.
template <class V>
inline void library_sine_and_cosine(const V& x, V& sine, V& cosine) {
  constexpr std::size_t kLanes = sizeof(V) / sizeof(double);
  double from[kLanes], s[kLanes], c[kLanes];
  std::memcpy(from, &x, sizeof from);
  std::memcpy(s, &sine, sizeof s);
  std::memcpy(c, &cosine, sizeof c);
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (!(std::fabs(from[i]) > kSineRange)) continue;
    s[i] = std::sin(from[i]);
    c[i] = std::cos(from[i]);
  }
  std::memcpy(&sine, s, sizeof s);
  std::memcpy(&cosine, c, sizeof c);
}

}  // namespace detail

/// V: double, or a vector of doubles (of GCC and clang) in a function that is compiled for a processor which has them.
template <class V>
SPAR_RL_INLINE void sine_and_cosine(const V& x, V& sine, V& cosine) {
  using Bits = typename detail::BitsOf<V>::type;

  // x = n pi/2 + (r + rest), |r| <= pi/4; for n = 0 the rest is 0.
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds, and the integer is in the low bits
  constexpr double kHalfPi1 = 0x1.921fb54442cp+0, kHalfPi2 = 0x1.18469898ccp-44, kHalfPi3 = 0x1.45c06e0e68948p-86;
  const V shifted = x * 0.6366197723675814 + kRound, n = shifted - kRound;
  const V nearly = x - n * kHalfPi1, second = n * kHalfPi2, r = nearly - second;
  const V rest = ((nearly - r) - second) - n * kHalfPi3;

  // r + rest = high + low, and (r + rest)^2 = square1 + square2; the powers of `high` are exact.
  Bits bits;
  detail::copy_bits(bits, r);
  bits &= ~((std::int64_t{1} << 37) - 1);
  V high;
  detail::copy_bits(high, bits);
  const V low = (r - high) + rest, square1 = high * high, square2 = low * (r + high), z = square1 + square2;

  // sin = r - 21/128 r^3 - (1/6 - 21/128) r^3 + r^5 Q(r^2)
  V q = z * -7.595311747229399e-13 + 1.605868439953773e-10;
  q = q * z - 2.5052107236375065e-08;
  q = q * z + 2.7557319222325077e-06;
  q = q * z - 1.9841269841269863e-04;
  q = q * z + 8.333333333333333e-03;
  const V cube1 = high * square1 * -0.1640625, cube2 = low * (z + r * high + square1) * -0.1640625;
  const V s1 = r + cube1, s2 = (r - s1) + cube1;
  const V s = s1 + (s2 + ((cube2 + r * z * (z * q - 2.6041666666666665e-03)) + rest));

  // cos = 1 - r^2 / 2 + r^4 C(r^2)
  V c = z * -1.1382632258093615e-11 + 2.087614626607931e-09;
  c = c * z - 2.7557317271718644e-07;
  c = c * z + 2.4801587298765665e-05;
  c = c * z - 1.3888888888887398e-03;
  c = c * z + 4.1666666666666664e-02;
  const V half = square1 * 0.5, c1 = 1.0 - half, c2 = (1.0 - c1) - half;
  c = c1 + (c2 + (z * z * c - square2 * 0.5));

  // In odd quarters of a turn they change places; the signs go by the quarter.
  Bits quarter, of_sine, of_cosine;
  detail::copy_bits(quarter, shifted);
  detail::copy_bits(of_sine, s);
  detail::copy_bits(of_cosine, c);
  const Bits swap = -(quarter & 1), changed = (of_sine ^ of_cosine) & swap;
  of_sine ^= changed ^ ((quarter & 2) << 62);
  of_cosine ^= changed ^ (((quarter + 1) & 2) << 62);
  detail::copy_bits(sine, of_sine);
  detail::copy_bits(cosine, of_cosine);
  if (detail::any_beyond_range(x)) detail::library_sine_and_cosine(x, sine, cosine);
}

}  // namespace spar
