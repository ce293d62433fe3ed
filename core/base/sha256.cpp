#include "core/base/sha256.hpp"

#include <bit>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace spar::detail {
namespace {

constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#if defined(__x86_64__)
__attribute__((target("sha,sse4.1"))) void sha256_x86(Sha256State& state, const uint8_t* data, size_t blocks) {
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions want the state as (f, e, b, a) and (h, g, d, c), lowest lane first.
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  __m128i feba = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i hgdc = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; blocks > 0; --blocks, data += 64) {
    const __m128i feba_before = feba, hgdc_before = hgdc;
    __m128i w[4];  // the last 16 words of the message schedule, four in each
    for (size_t i = 0; i < 16; ++i) {
      __m128i& next = w[i % 4];
      if (i < 4) {
        next = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data) + i), big_endian);
      } else {
        const __m128i newest = w[(i + 3) % 4], seven_back = _mm_alignr_epi8(newest, w[(i + 2) % 4], 4);
        next = _mm_add_epi32(_mm_sha256msg1_epu32(next, w[(i + 1) % 4]), seven_back);
        next = _mm_sha256msg2_epu32(next, newest);
      }
      const __m128i round = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRound.data()) + i);
      const __m128i sum = _mm_add_epi32(next, round);
      hgdc = _mm_sha256rnds2_epu32(hgdc, feba, sum);
      feba = _mm_sha256rnds2_epu32(feba, hgdc, _mm_shuffle_epi32(sum, 0x0e));
    }
    feba = _mm_add_epi32(feba, feba_before);
    hgdc = _mm_add_epi32(hgdc, hgdc_before);
  }
  const __m128i abef = _mm_shuffle_epi32(feba, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(hgdc, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(abef, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, abef, 8));
}
#endif

}  // namespace

void sha256_portable(Sha256State& state, const uint8_t* data, size_t blocks) {
  for (; blocks > 0; --blocks, data += 64) {
    std::array<uint32_t, 64> w;
    for (size_t i = 0; i < 16; ++i) {
      w[i] = uint32_t{data[4 * i]} << 24 | uint32_t{data[4 * i + 1]} << 16 | uint32_t{data[4 * i + 2]} << 8 |
             data[4 * i + 3];
    }
    for (size_t i = 16; i < 64; ++i) {
      const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t t1 =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
      const uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const Sha256State add{a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; ++i) state[i] += add[i];
  }
}

Sha256Blocks sha256_accelerated() {
#if defined(__x86_64__)
  // Asked of the processor itself: clang 14 does not know "sha" as a feature to ask for.
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
  if (sha && __builtin_cpu_supports("sse4.1")) return sha256_x86;
#endif
  return nullptr;
}

}  // namespace spar::detail
