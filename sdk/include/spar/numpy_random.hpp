// The random numbers of numpy.random.default_rng(seed), bit for bit: SeedSequence feeding PCG64 (XSL-RR 128/64).
// Environments draw from it so that reset(seed) starts where the Python reference starts. C++17, standard library only.
//
// Papers: O'Neill, "PCG: A family of simple fast space-efficient statistically good algorithms for random number
// generation", 2014; Lemire, "Fast random integer generation in an interval", 2019.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace spar {

/// Mixes entropy words into a pool of 128 bits and stretches the pool into seeds (numpy.random.SeedSequence with its
/// default pool size and no spawn key).
class NumpySeedSequence {
 public:
  explicit NumpySeedSequence(uint64_t entropy) {
    const uint32_t words[2] = {static_cast<uint32_t>(entropy), static_cast<uint32_t>(entropy >> 32)};
    mix(words, words[1] != 0 ? 2 : 1);
  }
  /// Entropy as numpy cuts a large integer: 32-bit words, least significant first, without leading zero words.
  NumpySeedSequence(const uint32_t* words, size_t count) { mix(words, count); }

  /// Writes `count` words, the same from the first on whatever the count.
  void generate(uint32_t* words, size_t count) const {
    uint32_t factor = 0x8b51f9ddu;
    for (size_t i = 0; i < count; ++i) {
      uint32_t word = pool_[i % kPool] ^ factor;
      factor *= 0x58f38dedu;
      word *= factor;
      words[i] = word ^ (word >> 16);
    }
  }

 private:
  static constexpr size_t kPool = 4;

  static uint32_t scramble(uint32_t word, uint32_t& factor) {
    word ^= factor;
    factor *= 0x931e8875u;
    word *= factor;
    return word ^ (word >> 16);
  }
  static uint32_t join(uint32_t into, uint32_t word) {
    const uint32_t mixed = 0xca01f9ddu * into - 0x4973f715u * word;
    return mixed ^ (mixed >> 16);
  }
  void mix(const uint32_t* words, size_t count) {
    uint32_t factor = 0x43b0d7e5u;
    for (size_t i = 0; i < kPool; ++i) pool_[i] = scramble(i < count ? words[i] : 0, factor);
    for (size_t from = 0; from < kPool; ++from)
      for (size_t to = 0; to < kPool; ++to)
        if (from != to) pool_[to] = join(pool_[to], scramble(pool_[from], factor));
    for (size_t from = kPool; from < count; ++from)
      for (size_t to = 0; to < kPool; ++to) pool_[to] = join(pool_[to], scramble(words[from], factor));
  }

  uint32_t pool_[kPool];
};

/// numpy.random.Generator(PCG64(seed)): the same numbers in the same order, also when kinds of draws are mixed.
/// Trivially copyable: a copy of the object is its exact state.
class NumpyRandom {
 public:
  __extension__ typedef unsigned __int128 Word128;

  explicit NumpyRandom(uint64_t seed = 0) : NumpyRandom(NumpySeedSequence(seed)) {}
  explicit NumpyRandom(const NumpySeedSequence& seeds) {
    uint32_t words[8];
    seeds.generate(words, 8);
    // The four 64-bit seeds are little-endian pairs of words; of each 128-bit number the high half comes first.
    const auto half = [&words](size_t i) { return words[2 * i] | static_cast<uint64_t>(words[2 * i + 1]) << 32; };
    increment_ = (join(half(2), half(3)) << 1) | 1u;
    state_ = increment_ + join(half(0), half(1));
    advance();
  }

  /// 64 uniform bits.
  uint64_t bits() {
    advance();
    const uint64_t folded = static_cast<uint64_t>(state_ >> 64) ^ static_cast<uint64_t>(state_);
    const auto turn = static_cast<unsigned>(state_ >> 122);
    return turn == 0 ? folded : folded >> turn | folded << (64 - turn);
  }
  /// 32 uniform bits: each 64-bit word gives its low half, then, at the next call, its high half.
  uint32_t bits32() {
    if (has_half_ != 0) {
      has_half_ = 0;
      return static_cast<uint32_t>(half_);
    }
    const uint64_t word = bits();
    has_half_ = 1;
    half_ = word >> 32;
    return static_cast<uint32_t>(word);
  }

  /// [0, 1), multiples of 2^-53: Generator.random().
  double random() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Generator.uniform(low, high): low + (high - low) * random().
  double uniform(double low, double high) { return low + (high - low) * random(); }

  /// Generator.integers(low, high) of the default type int64: low .. high-1 without bias. Precondition: low < high.
  int64_t integers(int64_t low, int64_t high) {
    const uint64_t last = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) - 1;
    uint64_t offset = 0;
    if (last == 0)
      offset = 0;  // a single value costs no draw
    else if (last < 0xffffffffu)
      offset = below32(static_cast<uint32_t>(last + 1));
    else if (last == 0xffffffffu)
      offset = bits32();
    else if (last < UINT64_MAX)
      offset = below64(last + 1);
    else
      offset = bits();
    return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
  }
  /// Generator.integers(n): 0 .. n-1. Precondition: n >= 1.
  int64_t integers(int64_t n) { return integers(0, n); }

  Word128 state() const { return state_; }
  Word128 increment() const { return increment_; }

 private:
  static constexpr Word128 join(uint64_t high, uint64_t low) { return static_cast<Word128>(high) << 64 | low; }
  void advance() { state_ = state_ * join(2549297995355413924u, 4865540595714422341u) + increment_; }

  uint32_t below32(uint32_t n) {
    uint64_t product = static_cast<uint64_t>(bits32()) * n;
    if (static_cast<uint32_t>(product) < n) {
      const uint32_t reject = (0u - n) % n;
      while (static_cast<uint32_t>(product) < reject) product = static_cast<uint64_t>(bits32()) * n;
    }
    return static_cast<uint32_t>(product >> 32);
  }
  uint64_t below64(uint64_t n) {
    Word128 product = static_cast<Word128>(bits()) * n;
    if (static_cast<uint64_t>(product) < n) {
      const uint64_t reject = (uint64_t{0} - n) % n;
      while (static_cast<uint64_t>(product) < reject) product = static_cast<Word128>(bits()) * n;
    }
    return static_cast<uint64_t>(product >> 64);
  }

  Word128 state_ = 0;
  Word128 increment_ = 0;
  uint64_t half_ = 0;      ///< high half kept by bits32(); 64 bits wide, so that no byte of the object is padding
  uint64_t has_half_ = 0;  ///< 1: half_ is next
};

static_assert(std::is_trivially_copyable_v<NumpyRandom> && sizeof(NumpyRandom) == 48,
              "a copy of the bytes is the generator's state");

}  // namespace spar
