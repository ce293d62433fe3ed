#include "core/replay/tree_lines.hpp"

#include "core/base/target.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace spar::replay {

namespace {

/// One level: 1 and the position less `left` if the way goes right, else 0. Without a branch, as half of them would be
/// mispredicted.
__attribute__((always_inline)) inline uint64_t turn(double& position, double left) {
#if defined(__x86_64__)
  const __m128d at = _mm_set_sd(position), sum = _mm_set_sd(left), right = _mm_cmple_sd(sum, at);
  position = _mm_cvtsd_f64(_mm_sub_sd(at, _mm_and_pd(right, sum)));
  return static_cast<uint64_t>(_mm_movemask_pd(right)) & 1;
#else
  const int right = position >= left;
  position -= left * right;
  return static_cast<uint64_t>(right);
#endif
}

/// By kLevels down to a node of `line`; answers its place there.
template <unsigned kLevels>
__attribute__((always_inline)) inline uint64_t walk(const double* line, double& position) {
  uint64_t at = 0;
  if constexpr (kLevels == 3) at = turn(position, (line[0] + line[1]) + (line[2] + line[3]));
  if constexpr (kLevels >= 2) at = 2 * at + turn(position, line[4 * at] + line[4 * at + 1]);
  return 2 * at + turn(position, line[2 * at]);
}

template <unsigned kLevels>
void enter_by(const double* line, size_t n, double* position, uint64_t* path) {
  for (size_t i = 0; i < n; ++i) path[i] = walk<kLevels>(line, position[i]);
}

void enter(const double* line, unsigned levels, size_t n, double* position, uint64_t* path) {
  if (levels == 1) return enter_by<1>(line, n, position, path);
  if (levels == 2) return enter_by<2>(line, n, position, path);
  enter_by<3>(line, n, position, path);
}

void descend(const double* lines, const double* next, size_t n, double* position, uint64_t* path) {
  for (size_t i = 0; i < n; ++i) {
    path[i] = kLine * path[i] + walk<3>(lines + kLine * path[i], position[i]);
    if (next != nullptr) __builtin_prefetch(next + kLine * path[i]);
  }
}

void reach(const double* lines, size_t n, double* position, uint64_t* path) {
  descend(lines, nullptr, n, position, path);
  for (size_t i = 0; i < n; ++i) position[i] = lines[path[i]];
}

size_t rise(size_t n, const uint64_t* from, uint64_t* path) {
  size_t kept = 0;
  uint64_t before = UINT64_MAX;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t line = from[i] / kLine;
    kept += line != before;
    path[kept - 1] = before = line;
  }
  return kept;
}

void sum(const double* lines, size_t n, const uint64_t* path, double* above) {
  for (size_t i = 0; i < n; ++i) {
    const double* x = lines + kLine * path[i];
    above[path[i]] = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  }
}

#if defined(__x86_64__)

#define SPAR_LINES_512 SPAR_TARGET_512("avx512f,avx512vl,avx512dq")

using Vec = __m512d;

/// The lines of eight items, two items a vector: places p, p + 2, p + 4, p + 6 of both in turn, p being 0 or 1.
struct Pairs {
  Vec even[4], odd[4];
};

SPAR_LINES_512 __attribute__((always_inline)) inline void load(Pairs& pairs, const double* lines,
                                                               const uint64_t* path) {
  for (size_t i = 0; i < 4; ++i) {
    const Vec one = _mm512_load_pd(lines + kLine * path[2 * i]),
              other = _mm512_load_pd(lines + kLine * path[2 * i + 1]);
    pairs.even[i] = __builtin_shufflevector(one, other, 0, 8, 2, 10, 4, 12, 6, 14);
    pairs.odd[i] = __builtin_shufflevector(one, other, 1, 9, 3, 11, 5, 13, 7, 15);
  }
}

/// Quarters 0 and 2 of two vectors, and 1 and 3. Twice, and each vector holds one place of all eight items.
SPAR_LINES_512 __attribute__((always_inline)) inline void part(Vec& low, Vec& high, const Vec& a, const Vec& b) {
  low = __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
  high = __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
}

/// As turn(), for eight.
SPAR_LINES_512 __attribute__((always_inline)) inline __mmask8 turn_512(Vec& position, const Vec& left) {
  const __mmask8 right = _mm512_cmp_pd_mask(position, left, _CMP_GE_OQ);
  position = _mm512_mask_sub_pd(position, right, position, left);
  return right;
}

/// Three levels down from the nodes of eight items: by four places, by two, by one.
SPAR_LINES_512 __attribute__((always_inline)) inline void step_512(__m512i& node, __mmask8 by4, __mmask8 by2,
                                                                   __mmask8 by1) {
  node = node << kLineLevels;
  node = _mm512_mask_add_epi64(node, by4, node, _mm512_set1_epi64(4));
  node = _mm512_mask_add_epi64(node, by2, node, _mm512_set1_epi64(2));
  node = _mm512_mask_add_epi64(node, by1, node, _mm512_set1_epi64(1));
}

// The items that fill no vector come first: behind a call nothing would clear the upper halves of the registers, and
// all code after it would be slow.

SPAR_LINES_512
void enter_512(const double* line, unsigned levels, size_t n, double* position, uint64_t* path) {
  enter(line, levels, n % kLine, position, path);
  const Vec first = _mm512_set1_pd(line[0] + line[1]), third = _mm512_set1_pd(line[4] + line[5]),
            half = first + _mm512_set1_pd(line[2] + line[3]), x0 = _mm512_set1_pd(line[0]),
            x2 = _mm512_set1_pd(line[2]), x4 = _mm512_set1_pd(line[4]), x6 = _mm512_set1_pd(line[6]);
  for (size_t i = n % kLine; i < n; i += kLine) {
    Vec at = _mm512_loadu_pd(position + i);
    const __mmask8 by4 = levels == 3 ? turn_512(at, half) : __mmask8{0};
    const __mmask8 by2 = levels >= 2 ? turn_512(at, _mm512_mask_blend_pd(by4, first, third)) : __mmask8{0};
    const __mmask8 by1 =
        turn_512(at, _mm512_mask_blend_pd(by2, _mm512_mask_blend_pd(by4, x0, x4), _mm512_mask_blend_pd(by4, x2, x6)));
    _mm512_storeu_pd(position + i, at);
    __m512i node = _mm512_setzero_si512();
    step_512(node, by4, by2, by1);
    _mm512_storeu_si512(path + i, node);
  }
}

/// Eight items three levels down; `at` becomes what is left of their positions or, with kLeaves, the masses reached.
template <bool kLeaves>
SPAR_LINES_512 __attribute__((always_inline)) inline void walk_512(const double* lines, Vec& at, uint64_t* path) {
  Pairs pairs;
  load(pairs, lines, path);
  Vec even[4], odd[4], x[8];
  part(even[0], even[2], pairs.even[0], pairs.even[1]);
  part(even[1], even[3], pairs.even[2], pairs.even[3]);
  part(odd[0], odd[2], pairs.odd[0], pairs.odd[1]);
  part(odd[1], odd[3], pairs.odd[2], pairs.odd[3]);
  part(x[0], x[4], even[0], even[1]);
  part(x[2], x[6], even[2], even[3]);
  part(x[1], x[5], odd[0], odd[1]);
  part(x[3], x[7], odd[2], odd[3]);

  const Vec first = x[0] + x[1], third = x[4] + x[5];
  const __mmask8 by4 = turn_512(at, first + (x[2] + x[3]));
  const __mmask8 by2 = turn_512(at, _mm512_mask_blend_pd(by4, first, third));
  const Vec left =
      _mm512_mask_blend_pd(by2, _mm512_mask_blend_pd(by4, x[0], x[4]), _mm512_mask_blend_pd(by4, x[2], x[6]));
  const __mmask8 by1 = turn_512(at, left);
  if constexpr (kLeaves)
    at = _mm512_mask_blend_pd(
        by1, left,
        _mm512_mask_blend_pd(by2, _mm512_mask_blend_pd(by4, x[1], x[5]), _mm512_mask_blend_pd(by4, x[3], x[7])));
  __m512i node = _mm512_loadu_si512(path);
  step_512(node, by4, by2, by1);
  _mm512_storeu_si512(path, node);
}

SPAR_LINES_512
void descend_512(const double* lines, const double* next, size_t n, double* position, uint64_t* path) {
  descend(lines, next, n % kLine, position, path);
  for (size_t i = n % kLine; i < n; i += kLine) {
    Vec at = _mm512_loadu_pd(position + i);
    walk_512<false>(lines, at, path + i);
    _mm512_storeu_pd(position + i, at);
    if (next != nullptr)
      for (size_t j = i; j < i + kLine; ++j) __builtin_prefetch(next + kLine * path[j]);
  }
}

SPAR_LINES_512
void reach_512(const double* lines, size_t n, double* position, uint64_t* path) {
  reach(lines, n % kLine, position, path);
  for (size_t i = n % kLine; i < n; i += kLine) {
    Vec at = _mm512_loadu_pd(position + i);
    walk_512<true>(lines, at, path + i);
    _mm512_storeu_pd(position + i, at);
  }
}

SPAR_LINES_512
size_t rise_512(size_t n, const uint64_t* from, uint64_t* path) {
  size_t kept = rise(n % kLine, from, path);
  __m512i before = _mm512_set1_epi64(kept > 0 ? static_cast<int64_t>(path[kept - 1]) : -1);
  for (size_t i = n % kLine; i < n; i += kLine) {
    const __m512i line = _mm512_loadu_si512(from + i) >> kLineLevels;
    const __m512i neighbour = __builtin_shufflevector(before, line, 7, 8, 9, 10, 11, 12, 13, 14);
    const __mmask8 fresh = _mm512_cmpneq_epi64_mask(line, neighbour);
    _mm512_storeu_si512(path + kept, _mm512_maskz_compress_epi64(fresh, line));  // what lies there was read
    kept += static_cast<size_t>(__builtin_popcount(fresh));
    before = line;
  }
  return kept;
}

SPAR_LINES_512
void sum_512(const double* lines, size_t n, const uint64_t* path, double* above) {
  sum(lines, n % kLine, path, above);
  for (size_t i = n % kLine; i < n; i += kLine) {
    Pairs pairs;
    load(pairs, lines, path + i);
    Vec two[4], low, high, four[2];  // sums of two neighbours, of four
    for (size_t j = 0; j < 4; ++j) two[j] = pairs.even[j] + pairs.odd[j];
    for (size_t j = 0; j < 2; ++j) {
      part(low, high, two[2 * j], two[2 * j + 1]);
      four[j] = low + high;
    }
    part(low, high, four[0], four[1]);
    alignas(64) double sums[kLine];
    _mm512_store_pd(sums, low + high);
    for (size_t j = 0; j < kLine; ++j) above[path[i + j]] = sums[j];
  }
}

#endif

}  // namespace

const LineFunctions& line_functions() {
  static constexpr LineFunctions kAny = {enter, descend, reach, rise, sum};
#if defined(__x86_64__)
  static constexpr LineFunctions kWide = {enter_512, descend_512, reach_512, rise_512, sum_512};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return kWide;
#endif
  return kAny;
}

}  // namespace spar::replay
