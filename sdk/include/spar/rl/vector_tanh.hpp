// Samples of squashed Gaussian policies in float32, sixteen numbers at a time whatever their number, so that a row's
// result does not depend on how many there are.
#pragma once

#include "spar/rl/vector_block.hpp"

#if SPAR_RL_VECTORS

namespace spar::rl::detail {

/// a = tanh(u) and log_det = log(1 - a^2) = 2 (log 2 - |u| - log(1 + t)) with t = exp(-2 |u|), for which
/// tanh |u| = (1 - t) / (1 + t). Close to 0, where that cancels, tanh(u) = u + u^3 P(u^2), P interpolated at Chebyshev
/// nodes; log(1 + t) = 2 artanh(t / (2 + t)) by its series. Absolute errors below 2e-7, the one of log_det relative
/// where it is large.
template <size_t W>
SPAR_RL_INLINE void tanh_and_log_det(const typename Block<W>::Number& u, typename Block<W>::Number& a,
                                     typename Block<W>::Number& log_det) {
  using Number = typename Block<W>::Number;
  const Number zero{}, size = u < zero ? -u : u;
  Number t = size * -2.0F;
  Block<W>::exp_part(t);

  const Number far = (1.0F - t) / (1.0F + t), signed_far = u < zero ? -far : far, z = u * u;
  Number near = z * -6.045165097e-03F + 2.096132911e-02F;
  near = near * z - 5.384326318e-02F;
  near = near * z + 1.333271885e-01F;
  near = near * z - 3.333332843e-01F;
  near = u + u * z * near;
  a = size < zero + 0.63F ? near : signed_far;

  const Number s = t / (2.0F + t), y = s * s;
  Number series = y * (2.0F / 15) + 2.0F / 13;
  series = series * y + 2.0F / 11;
  series = series * y + 2.0F / 9;
  series = series * y + 2.0F / 7;
  series = series * y + 2.0F / 5;
  series = series * y + 2.0F / 3;
  series = series * y + 2.0F;
  log_det = 2.0F * ((0.69314718F - size) - s * series);
}

/// A block of x from `at` on; zeros from n on.
template <size_t W>
SPAR_RL_INLINE void load_padded(Block<W>& block, const float* x, size_t at, size_t n) {
  if (at + kBlock <= n) return block.load(x + at);
  alignas(64) float padded[kBlock] = {};
  for (size_t l = 0; at + l < n; ++l) padded[l] = x[at + l];
  block.load(padded);
}
template <size_t W>
SPAR_RL_INLINE void store_padded(const Block<W>& block, float* x, size_t at, size_t n) {
  if (at + kBlock <= n) return block.store(x + at);
  alignas(64) float padded[kBlock];
  block.store(padded);
  for (size_t l = 0; at + l < n; ++l) x[at + l] = padded[l];
}

/// What tanh_gaussian_sample() says, for [rows, n] numbers.
template <size_t W>
SPAR_RL_INLINE void tanh_sample_rows_in(const float* mean, const float* log_std, const float* noise, size_t rows,
                                        size_t n, double constant, float* action, float* log_prob) {
  const size_t numbers = rows * n;
  size_t row = 0, column = 0;
  double sum = 0;
  for (size_t at = 0; at < numbers; at += kBlock) {
    Block<W> m, s, e, a, term;
    load_padded(m, mean, at, numbers);
    load_padded(s, log_std, at, numbers);
    load_padded(e, noise, at, numbers);
    for (size_t i = 0; i < Block<W>::kParts; ++i) {
      auto std = s.part[i];
      Block<W>::exp_part(std);
      tanh_and_log_det<W>(m.part[i] + std * e.part[i], a.part[i], term.part[i]);
      term.part[i] += e.part[i] * e.part[i] * 0.5F + s.part[i];
    }
    store_padded(a, action, at, numbers);
    alignas(64) float terms[kBlock];
    term.store(terms);
    for (size_t l = 0; l < kBlock && at + l < numbers; ++l) {
      sum -= static_cast<double>(terms[l]) + constant;
      if (++column < n) continue;
      log_prob[row++] = static_cast<float>(sum);
      column = 0;
      sum = 0;
    }
  }
}
SPAR_RL_WIDEST(tanh_sample_rows,
               (const float* mean, const float* log_std, const float* noise, size_t rows, size_t n, double constant,
                float* action, float* log_prob),
               (mean, log_std, noise, rows, n, constant, action, log_prob))

/// What tanh_gaussian_gradient() says, for [rows, n] numbers. dmean may be daction.
template <size_t W>
SPAR_RL_INLINE void tanh_gradient_rows_in(const float* log_std, const float* noise, const float* action,
                                          const float* daction, const float* dlog_prob, size_t rows, size_t n,
                                          float* dmean, float* dlog_std) {
  const size_t numbers = rows * n;
  size_t row = 0, column = 0;
  for (size_t at = 0; at < numbers; at += kBlock) {
    alignas(64) float slopes[kBlock] = {};
    for (size_t l = 0; l < kBlock && at + l < numbers; ++l) {
      slopes[l] = dlog_prob[row];
      if (++column < n) continue;
      ++row;
      column = 0;
    }
    Block<W> s, e, a, d, slope;
    load_padded(s, log_std, at, numbers);
    load_padded(e, noise, at, numbers);
    load_padded(a, action, at, numbers);
    load_padded(d, daction, at, numbers);
    slope.load(slopes);
    for (size_t i = 0; i < Block<W>::kParts; ++i) {
      Block<W>::exp_part(s.part[i]);
      d.part[i] = d.part[i] * (1.0F - a.part[i] * a.part[i]) + slope.part[i] * 2.0F * a.part[i];
      s.part[i] = d.part[i] * (s.part[i] * e.part[i]) - slope.part[i];
    }
    store_padded(d, dmean, at, numbers);
    store_padded(s, dlog_std, at, numbers);
  }
}
SPAR_RL_WIDEST(tanh_gradient_rows,
               (const float* log_std, const float* noise, const float* action, const float* daction,
                const float* dlog_prob, size_t rows, size_t n, float* dmean, float* dlog_std),
               (log_std, noise, action, daction, dlog_prob, rows, n, dmean, dlog_std))

}  // namespace spar::rl::detail

#endif  // SPAR_RL_VECTORS
