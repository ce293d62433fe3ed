// Softmax and cross-entropy over rows of at least sixteen float32 numbers, one exp for each.
#pragma once

#include <cmath>

#include "spar/rl/vector_block.hpp"

#if SPAR_RL_VECTORS

namespace spar::rl::detail {

/// The largest of n >= kBlock numbers; a NaN may be passed over.
template <size_t W>
SPAR_RL_INLINE float largest_of(const float* x, size_t n) {
  Block<W> most, next;
  most.load(x + n - kBlock);  // may look at some numbers twice
  for (size_t j = 0; j + kBlock <= n; j += kBlock) {
    next.load(x + j);
    most.larger(next);
  }
  return most.largest();
}

/// Calls use(place, block, new) for the blocks of a row of n >= kBlock numbers, each loaded from x before anything is
/// stored there: whole blocks from the front, then the last kBlock numbers once more, of which only `new` (< kBlock)
/// were in none.
template <size_t W, class Use>
SPAR_RL_INLINE void each_block(const float* x, size_t n, const Use& use) {
  const size_t rest = n % kBlock;
  Block<W> block, last;
  last.load(x + n - kBlock);
  for (size_t j = 0; j + kBlock <= n; j += kBlock) {
    block.load(x + j);
    use(j, block, kBlock);
  }
  if (rest > 0) use(n - kBlock, last, rest);
}

/// e_j = exp(x_j - largest) for n >= kBlock numbers, each block handed to keep(its place, block); returns their sum.
template <size_t W, class Keep>
SPAR_RL_INLINE float exp_row(const float* x, size_t n, float largest, const Keep& keep) {
  Block<W> sum{};
  each_block<W>(x, n, [&](size_t at, Block<W>& block, size_t fresh) SPAR_RL_ALWAYS {
    block.subtract(largest);
    block.exp();
    keep(at, block);
    if (fresh < kBlock) block.keep_last(fresh);
    sum.add(block);
  });
  return sum.sum();
}

/// p = softmax(x), one row of n >= kBlock numbers. p may be x.
template <size_t W>
SPAR_RL_INLINE void softmax_row(const float* x, size_t n, float* p) {
  const float scale = 1.0F / exp_row<W>(x, n, largest_of<W>(x, n),
                                        [&](size_t at, const Block<W>& e) SPAR_RL_ALWAYS { e.store(p + at); });
  size_t j = 0;
  Block<W> block;
  for (; j + kBlock <= n; j += kBlock) {
    block.load(p + j);
    block.multiply(scale);
    block.store(p + j);
  }
  for (; j < n; ++j) p[j] *= scale;
}

/// The same for some rows of at most kShort numbers, step by step for all of them: the steps of one row have to wait
/// for each other. The exps wait block after block, for a load of what was stored in parts waits too.
constexpr size_t kTogether = 8, kShort = 8 * kBlock;
template <size_t W>
SPAR_RL_INLINE void softmax_short_rows(const float* x, size_t rows, size_t n, float* p, float* waiting) {
  float largest[kTogether], scale[kTogether];
  for (size_t i = 0; i < rows; ++i) largest[i] = largest_of<W>(x + i * n, n);
  for (size_t i = 0; i < rows; ++i) {
    float* to = waiting + i * kShort;
    scale[i] = 1.0F / exp_row<W>(x + i * n, n, largest[i], [&](size_t, const Block<W>& e) SPAR_RL_ALWAYS {
                 e.store(to);
                 to += kBlock;
               });
  }
  Block<W> block;
  for (size_t i = 0; i < rows; ++i, p += n) {
    const float* from = waiting + i * kShort;
    for (size_t j = 0; j < n; j += kBlock, from += kBlock) {
      block.load(from);
      block.multiply(scale[i]);
      block.store(p + (j + kBlock <= n ? j : n - kBlock));
    }
  }
}

/// p = softmax(x), rows of n >= kBlock numbers. p may be x.
template <size_t W>
SPAR_RL_INLINE void softmax_rows_in(const float* x, size_t rows, size_t n, float* p) {
  if (n > kShort) {
    for (size_t i = 0; i < rows; ++i) softmax_row<W>(x + i * n, n, p + i * n);
    return;
  }
  alignas(64) float waiting[kTogether * kShort];
  for (size_t i = 0; i < rows; i += kTogether)
    softmax_short_rows<W>(x + i * n, i + kTogether < rows ? kTogether : rows - i, n, p + i * n, waiting);
}
SPAR_RL_WIDEST(softmax_rows, (const float* x, size_t rows, size_t n, float* p), (x, rows, n, p))

/// loss_i = -sum_j m_ij log softmax(x_i)_j and d_ij = weight_i / rows (softmax(x_i)_j - m_ij), rows of n >= kBlock
/// numbers. d may be x.
template <size_t W>
SPAR_RL_INLINE void cross_entropy_rows_in(const float* m, const float* x, const float* weight, size_t rows, size_t n,
                                          float* loss, float* d) {
  for (size_t i = 0; i < rows; ++i, m += n, x += n, d += n) {
    const float largest = largest_of<W>(x, n);
    Block<W> sum{}, mass{}, dot{}, target;
    each_block<W>(x, n, [&](size_t at, Block<W>& block, size_t fresh) SPAR_RL_ALWAYS {
      block.subtract(largest);
      target.load(m + at);
      if (fresh < kBlock) target.keep_last(fresh);
      mass.add(target);
      dot.add_product(target, block);
      block.exp();
      block.store(d + at);
      if (fresh < kBlock) block.keep_last(fresh);
      sum.add(block);
    });
    const float total = sum.sum(), scale = weight[i] / static_cast<float>(rows), of_p = scale / total;
    loss[i] = std::log(total) * mass.sum() - dot.sum();
    size_t j = 0;
    Block<W> block;
    for (; j + kBlock <= n; j += kBlock) {
      block.load(d + j);
      target.load(m + j);
      block.multiply(of_p);
      target.multiply(-scale);
      block.add(target);
      block.store(d + j);
    }
    for (; j < n; ++j) d[j] = d[j] * of_p + m[j] * -scale;
  }
}
SPAR_RL_WIDEST(cross_entropy_rows,
               (const float* m, const float* x, const float* weight, size_t rows, size_t n, float* loss, float* d),
               (m, x, weight, rows, n, loss, d))

}  // namespace spar::rl::detail

#endif  // SPAR_RL_VECTORS
