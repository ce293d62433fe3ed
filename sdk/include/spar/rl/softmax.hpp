// Softmax over the rows of [rows, n] logits, each row on its own and shifted by its largest logit, so that nothing
// overflows. A logit of minus infinity gets probability 0.
#pragma once

#include <cmath>
#include <type_traits>

#include "spar/rl/vector_softmax.hpp"
#include "spar/rl/view.hpp"

namespace spar::rl {

/// log sum_j exp(x_j) = largest + log_rest, kept apart: of large logits the sum would have lost the second.
template <class T>
struct LogSumExp {
  T largest, log_rest;

  /// x: n >= 1 numbers, not all of them minus infinity.
  LogSumExp(const T* x, size_t n) : largest(x[0]) {
    for (size_t j = 1; j < n; ++j)
      if (largest < x[j]) largest = x[j];
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += static_cast<double>(std::exp(x[j] - largest));
    log_rest = static_cast<T>(std::log(sum));
  }
  /// log p of the logit x.
  T log_p(T x) const { return x - largest - log_rest; }
};

/// Rows of [rows, n]. Throws std::invalid_argument if the items are no whole rows of n >= 1.
inline size_t rows_of(size_t size, size_t n, const char* what) {
  if (n == 0 || size % n != 0)
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(size) + " items, which are no rows of " +
                                std::to_string(n) + ": pass [rows, " + std::to_string(n) + "]");
  return size / n;
}

/// log p_j = x_j - log sum_k exp(x_k). logits, log_p: [rows, n] (log_p may be logits itself). Throws
/// std::invalid_argument if the shapes do not agree.
template <class Logits, class LogP>
void log_softmax(const Logits& logits, size_t n, LogP&& log_p) {
  const size_t rows = rows_of(logits.size(), n, "logits");
  require_size(logits.size(), log_p.size(), "log_p");
  for (size_t i = 0; i < rows; ++i) {
    const auto* x = logits.data() + i * n;
    const LogSumExp<ElementOf<Logits>> total(x, n);
    for (size_t j = 0; j < n; ++j) log_p.data()[i * n + j] = static_cast<ElementOf<LogP>>(total.log_p(x[j]));
  }
}

/// p_j = exp(x_j) / sum_k exp(x_k). Shapes and errors as above.
template <class Logits, class P>
void softmax(const Logits& logits, size_t n, P&& p) {
#if SPAR_RL_VECTORS
  if constexpr (std::is_same_v<ElementOf<Logits>, float> && std::is_same_v<ElementOf<P>, float>) {
    if (n >= detail::kBlock) {
      const size_t rows = rows_of(logits.size(), n, "logits");
      require_size(logits.size(), p.size(), "p");
      return detail::softmax_rows(logits.data(), rows, n, p.data());
    }
  }
#endif
  log_softmax(logits, n, p);
  for (size_t i = 0; i < p.size(); ++i) p.data()[i] = std::exp(p.data()[i]);
}

}  // namespace spar::rl
