// Gaussian policies squashed into (-1, 1): a = tanh(u), u = mean + std noise (Haarnoja et al., "Soft actor-critic
// algorithms and applications", 2018, appendix C). Densities are with respect to a in (-1, 1), whatever the
// environment's box. mean, log_std, noise, u, action: [B, n]; log_prob: [B]. All throw std::invalid_argument if the
// shapes do not agree.
#pragma once

#include <type_traits>

#include "spar/rl/gaussian.hpp"
#include "spar/rl/vector_tanh.hpp"

namespace spar::rl {

namespace detail {

/// Are all of these arrays float32?
template <class... Array>
inline constexpr bool kAllFloat = (std::is_same_v<ElementOf<Array>, float> && ...);

}  // namespace detail

/// log(1 + exp(x)) without overflow.
template <class T>
T softplus(T x) {
  return (x > 0 ? x : T(0)) + std::log1p(std::exp(x > 0 ? -x : x));
}

/// log (1 - tanh(u)^2), the log-determinant of one dimension, exact for every u: 2 (log 2 - u - softplus(-2 u)).
template <class T>
T tanh_log_det(T u) {
  return T(2) * (T(0.69314718055994530942) - u - softplus(T(-2) * u));
}

/// log pi(a) = sum_j log N(u_j; mean_j, std_j) - log(1 - tanh(u_j)^2), by u and not by a, which has lost it where tanh
/// saturates.
template <class Mean, class LogStd, class U, class LogProb>
void tanh_gaussian_log_prob(const Mean& mean, const LogStd& log_std, const U& u, LogProb&& log_prob) {
  gaussian_log_prob(mean, log_std, u, log_prob);
  const size_t rows = log_prob.size(), n = columns_of(u.size(), rows, "u");
  for (size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (size_t j = i * n; j < (i + 1) * n; ++j) sum += static_cast<double>(tanh_log_det(u.data()[j]));
    log_prob.data()[i] -= static_cast<ElementOf<LogProb>>(sum);
  }
}

/// Reparametrised sample: a = tanh(mean + std noise) and its log-probability.
template <class Mean, class LogStd, class Noise, class Action, class LogProb>
void tanh_gaussian_sample(const Mean& mean, const LogStd& log_std, const Noise& noise, Action&& action,
                          LogProb&& log_prob) {
  using T = ElementOf<Action>;
  const size_t rows = log_prob.size(), n = detail::gaussian_width(mean.size(), log_std.size(), rows);
  require_size(mean.size(), noise.size(), "noise");
  require_size(mean.size(), action.size(), "action");
#if SPAR_RL_VECTORS
  if constexpr (detail::kAllFloat<Mean, LogStd, Noise, Action, LogProb>) {
    if (log_std.size() == mean.size())
      return detail::tanh_sample_rows(mean.data(), log_std.data(), noise.data(), rows, n, detail::kHalfLog2Pi,
                                      action.data(), log_prob.data());
  }
#endif
  for (size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (size_t j = i * n; j < (i + 1) * n; ++j) {
      const T log_s = static_cast<T>(log_std.data()[j % log_std.size()]), eps = static_cast<T>(noise.data()[j]);
      const T u = static_cast<T>(mean.data()[j]) + std::exp(log_s) * eps;
      action.data()[j] = std::tanh(u);
      sum -= static_cast<double>(T(0.5) * eps * eps + log_s + tanh_log_det(u)) + detail::kHalfLog2Pi;
    }
    log_prob.data()[i] = static_cast<ElementOf<LogProb>>(sum);
  }
}

/// Backward through the sample, noise fixed. A loss with slopes daction_ij and dlog_prob_i has
///   dL/du = daction (1 - a^2) + dlog_prob 2 a,   dmean = dL/du,   dlog_std = dL/du std noise - dlog_prob,
/// for log pi = sum_j -noise^2 / 2 - log_std - log(2 pi) / 2 - log(1 - a^2). action: what the sample gave; daction,
/// dmean, dlog_std: [B, n] (dmean may be daction itself); overwritten.
template <class LogStd, class Noise, class Action, class DAction, class DLogProb, class DMean, class DLogStd>
void tanh_gaussian_gradient(const LogStd& log_std, const Noise& noise, const Action& action, const DAction& daction,
                            const DLogProb& dlog_prob, DMean&& dmean, DLogStd&& dlog_std) {
  using T = ElementOf<DMean>;
  const size_t rows = dlog_prob.size(), n = columns_of(action.size(), rows, "action");
  require_size(action.size(), log_std.size(), "log_std");
  require_size(action.size(), noise.size(), "noise");
  require_size(action.size(), daction.size(), "daction");
  require_size(action.size(), dmean.size(), "dmean");
  require_size(action.size(), dlog_std.size(), "dlog_std");
#if SPAR_RL_VECTORS
  if constexpr (detail::kAllFloat<LogStd, Noise, Action, DAction, DLogProb, DMean, DLogStd>)
    return detail::tanh_gradient_rows(log_std.data(), noise.data(), action.data(), daction.data(), dlog_prob.data(),
                                      rows, n, dmean.data(), dlog_std.data());
#endif
  for (size_t j = 0; j < action.size(); ++j) {
    const T a = static_cast<T>(action.data()[j]), slope = static_cast<T>(dlog_prob.data()[j / n]);
    const T du = static_cast<T>(daction.data()[j]) * (1 - a * a) + slope * 2 * a;
    const T shift = std::exp(static_cast<T>(log_std.data()[j])) * static_cast<T>(noise.data()[j]);
    dmean.data()[j] = du;
    dlog_std.data()[j] = static_cast<ElementOf<DLogStd>>(du * shift - slope);
  }
}

/// The same density in the units of the box [low, high]^n: log pi minus sum_j log((high_j - low_j) / 2). Entropy
/// targets stay those of (-1, 1). low, high: [n].
template <class Low, class High>
double log_prob_in_box(double log_prob, const Low& low, const High& high) {
  require_size(low.size(), high.size(), "high");
  for (size_t j = 0; j < low.size(); ++j)
    log_prob -= std::log((static_cast<double>(high.data()[j]) - static_cast<double>(low.data()[j])) / 2);
  return log_prob;
}

}  // namespace spar::rl
