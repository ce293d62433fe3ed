// float32 numbers sixteen at a time, for the functions of spar/rl that take whole rows. Every number and every sum is
// computed by the same operations in the same order whatever the width W of the processor's vectors, so the results are
// the same bits on all of them (compiled with -ffp-contract=off, as spar_add_plugin() does).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__GNUC__)
#define SPAR_RL_VECTORS 1
#define SPAR_RL_ALWAYS __attribute__((always_inline))
#define SPAR_RL_INLINE SPAR_RL_ALWAYS inline
#else
#define SPAR_RL_VECTORS 0
#define SPAR_RL_INLINE inline
#endif

#if SPAR_RL_VECTORS

// Makes of a template NAME_in<W> that inlines, with the given parameters, the function NAME for the widest vectors of
// this processor.
// NOLINTBEGIN(bugprone-macro-parentheses): both lists come with theirs
#if defined(__x86_64__)
#define SPAR_RL_WIDEST(name, parameters, arguments)                                                 \
  __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))) inline void name##_512 parameters { \
    name##_in<16> arguments;                                                                        \
  }                                                                                                 \
  __attribute__((target("avx2"))) inline void name##_256 parameters { name##_in<8> arguments; }     \
  inline void name parameters {                                                                     \
    const size_t width = ::spar::rl::detail::vector_width();                                        \
    if (width == 16) return name##_512 arguments;                                                   \
    if (width == 8) return name##_256 arguments;                                                    \
    name##_in<4> arguments;                                                                         \
  }
#else
#define SPAR_RL_WIDEST(name, parameters, arguments) \
  inline void name parameters { name##_in<4> arguments; }
#endif
// NOLINTEND(bugprone-macro-parentheses)

namespace spar::rl::detail {

inline constexpr size_t kBlock = 16;  ///< rows are this long at least; shorter ones are for plain loops

/// 16, 8 or 4 numbers.
inline size_t vector_width() {
#if defined(__x86_64__)
  static const size_t width = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
                                  ? 16
                              : __builtin_cpu_supports("avx2") ? 8
                                                               : 4;
  return width;
#else
  return 4;
#endif
}

/// As many doubles as fit in a vector of W numbers. (In a function, GCC would forget the size, which depends on W.)
template <size_t W>
struct Doubles {
  static constexpr size_t kCount = W / 2;
  typedef double Vector __attribute__((vector_size(W * sizeof(float))));
};

/// A block in vectors of W numbers. Only inside of functions that are inlined into one for a processor that has them.
template <size_t W>
struct Block {
  static constexpr size_t kParts = kBlock / W;
  typedef float Number __attribute__((vector_size(W * sizeof(float))));
  typedef std::uint32_t Bits __attribute__((vector_size(W * sizeof(float))));
  Number part[kParts];

  // Part by part: copies of the whole block would go through memory in pieces of another size.
  SPAR_RL_INLINE void load(const float* x) {
    for (size_t i = 0; i < kParts; ++i) std::memcpy(&part[i], x + i * W, sizeof(Number));
  }
  SPAR_RL_INLINE void store(float* x) const {
    for (size_t i = 0; i < kParts; ++i) std::memcpy(x + i * W, &part[i], sizeof(Number));
  }
  SPAR_RL_INLINE void add(const Block& b) {
    for (size_t i = 0; i < kParts; ++i) part[i] += b.part[i];
  }
  SPAR_RL_INLINE void subtract(float x) {
    for (Number& p : part) p -= x;
  }
  SPAR_RL_INLINE void multiply(float x) {
    for (Number& p : part) p *= x;
  }
  SPAR_RL_INLINE void add_product(const Block& a, const Block& b) {
    for (size_t i = 0; i < kParts; ++i) part[i] += a.part[i] * b.part[i];
  }
  SPAR_RL_INLINE void larger(const Block& b) {
    for (size_t i = 0; i < kParts; ++i) part[i] = part[i] < b.part[i] ? b.part[i] : part[i];
  }
  /// Only the last n numbers stay, the others become 0.
  SPAR_RL_INLINE void keep_last(size_t n) {
    alignas(64) static constexpr std::uint32_t kMask[2 * kBlock] = {
        0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
        ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U};
    for (size_t i = 0; i < kParts; ++i) {
      Bits mask;
      std::memcpy(&mask, kMask + n + i * W, sizeof mask);
      part[i] = reinterpret_cast<Number>(reinterpret_cast<Bits>(part[i]) & mask);
    }
  }

  /// x = e^x = 2^k e^r with k = round(x / ln 2), and e^r = 1 + r + r^2 Q(r), Q interpolated at Chebyshev nodes for
  /// |r| < ln(2) / 2. Relative error below 2e-7 for -87 < x < 88; 0 below -87, NaN for NaN.
  SPAR_RL_INLINE void exp() {
    for (Number& p : part) exp_part(p);
  }
  SPAR_RL_INLINE static void exp_part(Number& p) {
    const Number least = Number{} - 87.0F, from = p, v = from < least ? least : from;
    const Number shifted = v * 1.44269504F + 12582912.0F;  // 1.5 * 2^23: rounds, and the integer is in the low bits
    const Number k = shifted - 12582912.0F;
    const Number r = (v - k * 0.693359375F) + k * 2.12194440e-4F;
    Number q = r * 1.392618181e-03F + 8.363177630e-03F;
    q = q * r + 4.166655463e-02F;
    q = q * r + 1.666657700e-01F;
    q = q * r + 0.5F;
    const Number e = (q * r * r + r) + 1.0F;
    const Bits power = (reinterpret_cast<Bits>(shifted) + 127U) << 23U;
    p = from < least ? Number{} : e * reinterpret_cast<Number>(power);
  }

  typedef float Four __attribute__((vector_size(16)));
  SPAR_RL_INLINE void quarters(Four& a, Four& b, Four& c, Four& d) const {
    alignas(64) float s[kBlock];
    store(s);
    std::memcpy(&a, s, sizeof a);
    std::memcpy(&b, s + 4, sizeof b);
    std::memcpy(&c, s + 8, sizeof c);
    std::memcpy(&d, s + 12, sizeof d);
  }
  /// By halves, always in the same order: 8 apart, then 4, 2, 1.
  SPAR_RL_INLINE float sum() const {
    Four a, b, c, d;
    quarters(a, b, c, d);
    const Four four = (a + c) + (b + d);
    return (four[0] + four[2]) + (four[1] + four[3]);
  }
  SPAR_RL_INLINE float largest() const {
    Four a, b, c, d;
    quarters(a, b, c, d);
    a = a < c ? c : a;
    b = b < d ? d : b;
    a = a < b ? b : a;
    const float left = a[0] < a[2] ? a[2] : a[0], right = a[1] < a[3] ? a[3] : a[1];
    return left < right ? right : left;
  }
};

}  // namespace spar::rl::detail

#endif  // SPAR_RL_VECTORS
