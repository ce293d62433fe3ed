// Policies over n discrete actions. They are passed as log-probabilities log_p [B, n], which log_softmax() makes of the
// network's logits; what is masked beforehand has log-probability minus infinity, probability exactly 0 and gradient 0.
#pragma once

#include <cmath>

#include "spar/rl/softmax.hpp"

namespace spar::rl {

namespace detail {
/// p log p of an action that is never taken is 0.
template <class T>
double p_times(T log_p, double factor) {
  return std::isinf(static_cast<double>(log_p)) ? 0.0 : std::exp(static_cast<double>(log_p)) * factor;
}
}  // namespace detail

/// Takes the actions whose mask is 0 away before log_softmax(). mask, logits: [B, n]. Throws std::invalid_argument if
/// the shapes do not agree or a row allows no action.
template <class Mask, class Logits>
void mask_logits(const Mask& mask, size_t n, Logits&& logits) {
  const size_t rows = rows_of(logits.size(), n, "logits");
  require_size(logits.size(), mask.size(), "mask");
  for (size_t i = 0; i < rows; ++i) {
    bool any = false;
    for (size_t j = i * n; j < (i + 1) * n; ++j) {
      any = any || mask.data()[j];
      if (!mask.data()[j]) logits.data()[j] = -static_cast<ElementOf<Logits>>(INFINITY);
    }
    if (!any)
      throw std::invalid_argument("row " + std::to_string(i) + " of the action mask allows none of " +
                                  std::to_string(n) + " actions: an agent needs at least one");
  }
}

/// log pi(a_i | s_i). log_p: [B, n]; action, log_prob: [B]. Throws std::invalid_argument if the shapes do not agree.
template <class LogP, class Action, class LogProb>
void categorical_log_prob(const LogP& log_p, const Action& action, LogProb&& log_prob) {
  const size_t rows = action.size(), n = columns_of(log_p.size(), rows, "log_p");
  require_size(rows, log_prob.size(), "log_prob");
  for (size_t i = 0; i < rows; ++i)
    log_prob.data()[i] = static_cast<ElementOf<LogProb>>(log_p.data()[i * n + static_cast<size_t>(action.data()[i])]);
}

/// H_i = -sum_j p_ij log p_ij. log_p: [B, n]; entropy: [B].
template <class LogP, class Entropy>
void categorical_entropy(const LogP& log_p, Entropy&& entropy) {
  const size_t rows = entropy.size(), n = columns_of(log_p.size(), rows, "log_p");
  for (size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (size_t j = i * n; j < (i + 1) * n; ++j)
      sum -= detail::p_times(log_p.data()[j], static_cast<double>(log_p.data()[j]));
    entropy.data()[i] = static_cast<ElementOf<Entropy>>(sum);
  }
}

/// KL(p || q)_i = sum_j p_ij (log p_ij - log q_ij), exact. log_p, log_q: [B, n]; kl: [B].
template <class LogP, class LogQ, class Kl>
void categorical_kl(const LogP& log_p, const LogQ& log_q, Kl&& kl) {
  const size_t rows = kl.size(), n = columns_of(log_p.size(), rows, "log_p");
  require_size(log_p.size(), log_q.size(), "log_q");
  for (size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (size_t j = i * n; j < (i + 1) * n; ++j)
      sum +=
          detail::p_times(log_p.data()[j], static_cast<double>(log_p.data()[j]) - static_cast<double>(log_q.data()[j]));
    kl.data()[i] = static_cast<ElementOf<Kl>>(sum);
  }
}

/// One action for u in [0, 1): the first whose cumulated probability is above u. Never one of probability 0.
/// Precondition: n >= 1 log-probabilities of which one is finite.
template <class T>
size_t categorical_sample(const T* log_p, size_t n, double u) {
  size_t last = 0;
  double sum = 0;
  for (size_t j = 0; j < n; ++j) {
    const double p = std::exp(static_cast<double>(log_p[j]));
    if (!(p > 0)) continue;
    last = j;
    sum += p;
    if (u < sum) break;
  }
  return last;
}

/// Backward of a loss that depends on log pi(a_i) with the slope dlog_prob_i and on each row's entropy with the slope
/// dentropy: dlogits_ij = dlog_prob_i (1[j = a_i] - p_ij) - dentropy p_ij (log p_ij + H_i). log_p, dlogits: [B, n];
/// action, dlog_prob: [B]. Throws std::invalid_argument if the shapes do not agree.
template <class LogP, class Action, class DLogProb, class DLogits>
void categorical_gradient(const LogP& log_p, const Action& action, const DLogProb& dlog_prob, double dentropy,
                          DLogits&& dlogits) {
  const size_t rows = action.size(), n = columns_of(log_p.size(), rows, "log_p");
  require_size(rows, dlog_prob.size(), "dlog_prob");
  require_size(log_p.size(), dlogits.size(), "dlogits");
  for (size_t i = 0; i < rows; ++i) {
    const auto* row = log_p.data() + i * n;
    const double slope = static_cast<double>(dlog_prob.data()[i]);
    double entropy = 0;
    for (size_t j = 0; j < n && dentropy != 0; ++j) entropy -= detail::p_times(row[j], static_cast<double>(row[j]));
    for (size_t j = 0; j < n; ++j) {
      const double taken = j == static_cast<size_t>(action.data()[i]) ? slope : 0.0;
      const double spread = detail::p_times(row[j], slope + dentropy * (static_cast<double>(row[j]) + entropy));
      dlogits.data()[i * n + j] = static_cast<ElementOf<DLogits>>(taken - spread);
    }
  }
}

}  // namespace spar::rl
