// Gaussian policies with independent dimensions. mean: [B, n]; log_std: [B, n], or [n] where all rows share it; its
// gradient has the same shape. Sums over the dimensions, never means: the density of a vector is a product. All throw
// std::invalid_argument if the shapes do not agree.
#pragma once

#include <cmath>

#include "spar/rl/view.hpp"

namespace spar::rl {

namespace detail {
constexpr double kHalfLog2Pi = 0.91893853320467274178;

/// exp of numbers that are often the one of before: deviations that all rows share, in one dimension.
struct RememberedExp {
  double x = 0, value = 1;
  double operator()(double next) {
    if (next != x) {
      x = next;
      value = std::exp(next);
    }
    return value;
  }
};

/// From one row's log standard deviations to those of the next: n, or 0 where all rows share them.
inline size_t row_step(size_t log_std, size_t n) { return log_std == n ? 0 : n; }

/// Checks mean [rows, n] against log_std [rows, n] or [n]; gives n.
inline size_t gaussian_width(size_t mean, size_t log_std, size_t rows) {
  const size_t n = columns_of(mean, rows, "mean");
  if (log_std != n) require_size(mean, log_std, "log_std");
  return n;
}
}  // namespace detail

/// a = mean + exp(log_std) noise, noise from N(0, 1). mean, noise, action: [B, n].
template <class Mean, class LogStd, class Noise, class Action>
void gaussian_sample(const Mean& mean, const LogStd& log_std, const Noise& noise, Action&& action) {
  using T = ElementOf<Action>;
  require_size(mean.size(), noise.size(), "noise");
  require_size(mean.size(), action.size(), "action");
  if (log_std.size() == 0 || mean.size() % log_std.size() != 0) require_size(mean.size(), log_std.size(), "log_std");
  for (size_t i = 0; i < mean.size(); ++i)
    action.data()[i] = static_cast<T>(mean.data()[i]) +
                       std::exp(static_cast<T>(log_std.data()[i % log_std.size()])) * static_cast<T>(noise.data()[i]);
}

/// log pi(a) = sum_j -z^2 / 2 - log_std - log(2 pi) / 2 with z = (a - mean) / std. action: [B, n]; log_prob: [B].
template <class Mean, class LogStd, class Action, class LogProb>
void gaussian_log_prob(const Mean& mean, const LogStd& log_std, const Action& action, LogProb&& log_prob) {
  const size_t rows = log_prob.size(), n = detail::gaussian_width(mean.size(), log_std.size(), rows);
  require_size(mean.size(), action.size(), "action");
  detail::RememberedExp exp;
  const size_t step = detail::row_step(log_std.size(), n);
  for (size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (size_t j = i * n; j < (i + 1) * n; ++j) {
      const double log_s = static_cast<double>(log_std.data()[j - i * (n - step)]);
      const double z = (static_cast<double>(action.data()[j]) - static_cast<double>(mean.data()[j])) * exp(-log_s);
      sum -= 0.5 * z * z + log_s + detail::kHalfLog2Pi;
    }
    log_prob.data()[i] = static_cast<ElementOf<LogProb>>(sum);
  }
}

/// H = sum_j 1/2 + log(2 pi) / 2 + log_std_j of one row of n log standard deviations.
template <class T>
double gaussian_entropy(const T* log_std, size_t n) {
  double sum = 0;
  for (size_t j = 0; j < n; ++j) sum += 0.5 + detail::kHalfLog2Pi + static_cast<double>(log_std[j]);
  return sum;
}

/// Backward of a loss that depends on log pi(a_i) with the slope dlog_prob_i and on each row's entropy with the slope
/// dentropy: d log pi / d mean = z / std, d log pi / d log_std = z^2 - 1, dH / d log_std = 1; overwritten. A shared
/// log_std collects the sum over the rows. action, dmean: [B, n]; dlog_prob: [B].
template <class Mean, class LogStd, class Action, class DLogProb, class DMean, class DLogStd>
void gaussian_gradient(const Mean& mean, const LogStd& log_std, const Action& action, const DLogProb& dlog_prob,
                       double dentropy, DMean&& dmean, DLogStd&& dlog_std) {
  const size_t rows = dlog_prob.size(), n = detail::gaussian_width(mean.size(), log_std.size(), rows);
  require_size(mean.size(), action.size(), "action");
  require_size(mean.size(), dmean.size(), "dmean");
  require_size(log_std.size(), dlog_std.size(), "dlog_std");
  for (size_t j = 0; j < dlog_std.size(); ++j) dlog_std.data()[j] = 0;
  detail::RememberedExp exp;
  const size_t step = detail::row_step(log_std.size(), n);
  for (size_t i = 0; i < rows; ++i) {
    const double slope = static_cast<double>(dlog_prob.data()[i]);
    for (size_t j = i * n; j < (i + 1) * n; ++j) {
      const size_t k = j - i * (n - step);
      const double precision = exp(-static_cast<double>(log_std.data()[k]));
      const double z = (static_cast<double>(action.data()[j]) - static_cast<double>(mean.data()[j])) * precision;
      dmean.data()[j] = static_cast<ElementOf<DMean>>(slope * z * precision);
      dlog_std.data()[k] += static_cast<ElementOf<DLogStd>>(slope * (z * z - 1) + dentropy);
    }
  }
}

/// KL(p || q)_i = sum_j log_std_q - log_std_p + (std_p^2 + (mean_p - mean_q)^2) / (2 std_q^2) - 1/2. Means: [B, n];
/// kl: [B].
template <class MeanP, class LogStdP, class MeanQ, class LogStdQ, class Kl>
void gaussian_kl(const MeanP& mean_p, const LogStdP& log_std_p, const MeanQ& mean_q, const LogStdQ& log_std_q,
                 Kl&& kl) {
  const size_t rows = kl.size(), n = detail::gaussian_width(mean_p.size(), log_std_p.size(), rows);
  detail::gaussian_width(mean_q.size(), log_std_q.size(), rows);
  require_size(mean_p.size(), mean_q.size(), "mean_q");
  for (size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (size_t j = i * n; j < (i + 1) * n; ++j) {
      const double log_p = static_cast<double>(log_std_p.data()[j % log_std_p.size()]);
      const double log_q = static_cast<double>(log_std_q.data()[j % log_std_q.size()]);
      const double shift = (static_cast<double>(mean_p.data()[j]) - static_cast<double>(mean_q.data()[j]));
      sum += log_q - log_p + 0.5 * (std::exp(2 * (log_p - log_q)) + shift * shift * std::exp(-2 * log_q) - 1);
    }
    kl.data()[i] = static_cast<ElementOf<Kl>>(sum);
  }
}

/// Gradient of sum_i dkl_i KL(p || q)_i with respect to q, the policy that learns: (mean_q - mean_p) / std_q^2 and
/// 1 - (std_p^2 + (mean_p - mean_q)^2) / std_q^2; overwritten. dkl: [B].
template <class MeanP, class LogStdP, class MeanQ, class LogStdQ, class DKl, class DMean, class DLogStd>
void gaussian_kl_gradient(const MeanP& mean_p, const LogStdP& log_std_p, const MeanQ& mean_q, const LogStdQ& log_std_q,
                          const DKl& dkl, DMean&& dmean_q, DLogStd&& dlog_std_q) {
  const size_t rows = dkl.size(), n = detail::gaussian_width(mean_p.size(), log_std_p.size(), rows);
  detail::gaussian_width(mean_q.size(), log_std_q.size(), rows);
  require_size(mean_p.size(), mean_q.size(), "mean_q");
  require_size(mean_q.size(), dmean_q.size(), "dmean_q");
  require_size(log_std_q.size(), dlog_std_q.size(), "dlog_std_q");
  for (size_t j = 0; j < dlog_std_q.size(); ++j) dlog_std_q.data()[j] = 0;
  for (size_t j = 0; j < rows * n; ++j) {
    const double slope = static_cast<double>(dkl.data()[j / n]);
    const double log_p = static_cast<double>(log_std_p.data()[j % log_std_p.size()]);
    const double log_q = static_cast<double>(log_std_q.data()[j % log_std_q.size()]);
    const double shift = static_cast<double>(mean_q.data()[j]) - static_cast<double>(mean_p.data()[j]);
    const double precision = std::exp(-2 * log_q);
    dmean_q.data()[j] = static_cast<ElementOf<DMean>>(slope * shift * precision);
    dlog_std_q.data()[j % log_std_q.size()] +=
        static_cast<ElementOf<DLogStd>>(slope * (1 - std::exp(2 * (log_p - log_q)) - shift * shift * precision));
  }
}

/// log_std = raw clamped to [low, high] (Haarnoja et al. 2018: -20 to 2), element-wise; log_std may be raw itself.
template <class Raw, class LogStd>
void clamp_log_std(const Raw& raw, double low, double high, LogStd&& log_std) {
  require_size(raw.size(), log_std.size(), "log_std");
  for (size_t i = 0; i < raw.size(); ++i) {
    const double x = static_cast<double>(raw.data()[i]);
    log_std.data()[i] = static_cast<ElementOf<LogStd>>(x < low ? low : x > high ? high : x);
  }
}

/// Its backward: no gradient passes where `raw` lies outside [low, high].
template <class Raw, class DLogStd>
void clamp_log_std_gradient(const Raw& raw, double low, double high, DLogStd&& dlog_std) {
  require_size(raw.size(), dlog_std.size(), "dlog_std");
  for (size_t i = 0; i < raw.size(); ++i) {
    const double x = static_cast<double>(raw.data()[i]);
    if (x < low || x > high) dlog_std.data()[i] = 0;
  }
}

}  // namespace spar::rl
