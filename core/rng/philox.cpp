#include "core/rng/philox.hpp"

#include <algorithm>
#include <span>

#include "core/base/hash.hpp"
#include "core/base/target.hpp"
#include "core/rng/normals.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace spar {
namespace {

__extension__ typedef unsigned __int128 Wide;  // ISO C++ has no 128-bit integer; GCC and Clang do

uint64_t hash_key(uint64_t seed, std::string_view name) {
  Sha256 hash;
  std::array<uint8_t, 8> little;
  for (size_t i = 0; i < 8; ++i) little[i] = static_cast<uint8_t>(seed >> (8 * i));
  hash.update(std::as_bytes(std::span(little)));
  hash.update(std::as_bytes(std::span(name.data(), name.size())));
  const auto digest = hash.digest();
  uint64_t key = 0;
  for (size_t i = 0; i < 8; ++i) key |= uint64_t{digest[i]} << (8 * i);
  return key;
}

double to_unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Blocks first, first + 1, ..: two words each.
void blocks_any(uint64_t first, uint64_t key, size_t n, uint64_t* to) {
  for (uint64_t i = first; i < first + n; ++i, to += 2) {
    const auto out = philox4x32_10({static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32), 0, 0},
                                   {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
    to[0] = out[0] | uint64_t{out[1]} << 32;
    to[1] = out[2] | uint64_t{out[3]} << 32;
  }
}

#if defined(__x86_64__)
/// Sixteen blocks at a time, each 32-bit number in 64 bits: the products are those of philox4x32_10().
__attribute__((target("avx2"))) void blocks_avx2(uint64_t first, uint64_t key, size_t n, uint64_t* to) {
  constexpr size_t kVectors = 4, kLanes = 4, kStep = kVectors * kLanes;
  const __m256i low = _mm256_set1_epi64x(UINT32_MAX), m0 = _mm256_set1_epi64x(0xD2511F53),
                m1 = _mm256_set1_epi64x(0xCD9E8D57), lanes = _mm256_setr_epi64x(0, 1, 2, 3);
  size_t at = 0;
  for (; at + kStep <= n; at += kStep) {
    __m256i a[kVectors], b[kVectors], c[kVectors], d[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      const uint64_t begin = first + at + v * kLanes;
      const __m256i counter = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<int64_t>(begin)), lanes);
      a[v] = _mm256_and_si256(counter, low);
      b[v] = _mm256_srli_epi64(counter, 32);
      c[v] = d[v] = _mm256_setzero_si256();
    }
    uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
      const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
      for (size_t v = 0; v < kVectors; ++v) {
        const __m256i p0 = _mm256_mul_epu32(a[v], m0), p1 = _mm256_mul_epu32(c[v], m1);
        a[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), b[v]), key0);
        b[v] = _mm256_and_si256(p1, low);
        c[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), d[v]), key1);
        d[v] = _mm256_and_si256(p0, low);
      }
    }
    for (size_t v = 0; v < kVectors; ++v) {
      alignas(32) uint64_t one[kLanes], other[kLanes];
      _mm256_store_si256(reinterpret_cast<__m256i*>(one), _mm256_or_si256(a[v], _mm256_slli_epi64(b[v], 32)));
      _mm256_store_si256(reinterpret_cast<__m256i*>(other), _mm256_or_si256(c[v], _mm256_slli_epi64(d[v], 32)));
      for (size_t l = 0; l < kLanes; ++l) {
        to[2 * (at + v * kLanes + l)] = one[l];
        to[2 * (at + v * kLanes + l) + 1] = other[l];
      }
    }
  }
  blocks_any(first + at, key, n - at, to + 2 * at);
}

/// The same with vectors twice as long.
SPAR_TARGET_512("avx512f") void blocks_avx512(uint64_t first, uint64_t key, size_t n, uint64_t* to) {
  constexpr size_t kVectors = 4, kLanes = 8, kStep = kVectors * kLanes;
  const __m512i low = _mm512_set1_epi64(UINT32_MAX), m0 = _mm512_set1_epi64(0xD2511F53),
                m1 = _mm512_set1_epi64(0xCD9E8D57), lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                front = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                back = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  size_t at = 0;
  for (; at + kStep <= n; at += kStep) {
    __m512i a[kVectors], b[kVectors], c[kVectors], d[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      const uint64_t begin = first + at + v * kLanes;
      const __m512i counter = _mm512_add_epi64(_mm512_set1_epi64(static_cast<int64_t>(begin)), lanes);
      a[v] = _mm512_and_si512(counter, low);
      b[v] = _mm512_maskz_srli_epi64(0xff, counter, 32);  // the unmasked one warns in GCC 12
      c[v] = d[v] = _mm512_setzero_si512();
    }
    uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
      const __m512i key0 = _mm512_set1_epi64(k0), key1 = _mm512_set1_epi64(k1);
      for (size_t v = 0; v < kVectors; ++v) {
        const __m512i p0 = _mm512_maskz_mul_epu32(0xff, a[v], m0), p1 = _mm512_maskz_mul_epu32(0xff, c[v], m1);
        a[v] = _mm512_xor_si512(_mm512_xor_si512(_mm512_maskz_srli_epi64(0xff, p1, 32), b[v]), key0);
        b[v] = _mm512_and_si512(p1, low);
        c[v] = _mm512_xor_si512(_mm512_xor_si512(_mm512_maskz_srli_epi64(0xff, p0, 32), d[v]), key1);
        d[v] = _mm512_and_si512(p0, low);
      }
    }
    for (size_t v = 0; v < kVectors; ++v) {
      const __m512i one = _mm512_or_si512(a[v], _mm512_maskz_slli_epi64(0xff, b[v], 32)),
                    other = _mm512_or_si512(c[v], _mm512_maskz_slli_epi64(0xff, d[v], 32));
      uint64_t* out = to + 2 * (at + v * kLanes);
      _mm512_storeu_si512(out, _mm512_permutex2var_epi64(one, front, other));
      _mm512_storeu_si512(out + kLanes, _mm512_permutex2var_epi64(one, back, other));
    }
  }
  blocks_any(first + at, key, n - at, to + 2 * at);
}
#endif

using Blocks = void (*)(uint64_t, uint64_t, size_t, uint64_t*);

Blocks widest_blocks() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return blocks_avx512;
  if (__builtin_cpu_supports("avx2")) return blocks_avx2;
#endif
  return blocks_any;
}

}  // namespace

std::array<uint32_t, 4> philox4x32_10(std::array<uint32_t, 4> c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

Philox::Philox(uint64_t seed, std::string_view stream) { state_.key = hash_key(seed, stream); }

uint64_t Philox::bits() {
  if (state_.has_held) {
    state_.has_held = 0;
    return state_.held;
  }
  const auto out = philox4x32_10({static_cast<uint32_t>(state_.block), static_cast<uint32_t>(state_.block >> 32), 0, 0},
                                 {static_cast<uint32_t>(state_.key), static_cast<uint32_t>(state_.key >> 32)});
  ++state_.block;
  state_.held = out[2] | uint64_t{out[3]} << 32;
  state_.has_held = 1;
  return out[0] | uint64_t{out[1]} << 32;
}

void Philox::bits(size_t n, uint64_t* to) {
  static const Blocks many = widest_blocks();
  if (n > 0 && state_.has_held) {
    *to++ = bits();
    --n;
  }
  many(state_.block, state_.key, n / 2, to);
  state_.block += n / 2;
  if (n % 2 == 1) to[n - 1] = bits();
}

double Philox::uniform() { return to_unit(bits()); }

void Philox::uniforms(size_t n, double* to) {
  constexpr size_t kWords = 128;
  uint64_t words[kWords];
  for (size_t at = 0; at < n; at += kWords) {
    const size_t m = std::min(kWords, n - at);
    bits(m, words);
    std::transform(words, words + m, to + at, to_unit);
  }
}

double Philox::normal() {
  if (state_.has_spare) {
    state_.has_spare = 0;
    return state_.spare;
  }
  const double u = uniform(), v = uniform();
  double first = 0;
  box_muller(1, &u, &v, &first, &state_.spare);
  state_.has_spare = 1;
  return first;
}

void Philox::normals(size_t n, double* to) {
  constexpr size_t kPairs = 64;
  uint64_t words[2 * kPairs];
  double u[kPairs], v[kPairs], first[kPairs], second[kPairs];
  if (n > 0 && state_.has_spare) {
    *to++ = normal();
    --n;
  }
  while (n > 1) {
    const size_t pairs = std::min(n / 2, kPairs);
    bits(2 * pairs, words);
    for (size_t i = 0; i < pairs; ++i) {
      u[i] = to_unit(words[2 * i]);
      v[i] = to_unit(words[2 * i + 1]);
    }
    box_muller(pairs, u, v, first, second);
    for (size_t i = 0; i < pairs; ++i) {
      *to++ = first[i];
      *to++ = second[i];
    }
    n -= 2 * pairs;
  }
  if (n > 0) *to = normal();
}

uint64_t Philox::below(uint64_t n) {
  Wide product = static_cast<Wide>(bits()) * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t threshold = -n % n;
    while (static_cast<uint64_t>(product) < threshold) product = static_cast<Wide>(bits()) * n;
  }
  return static_cast<uint64_t>(product >> 64);
}

uint64_t Philox::seed_for(std::string_view purpose) const { return hash_key(state_.key, purpose); }

}  // namespace spar
