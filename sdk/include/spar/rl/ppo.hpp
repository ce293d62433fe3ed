// Losses of proximal policy optimisation (Schulman et al. 2017), means over B rows. All throw std::invalid_argument if
// the shapes do not agree.
#pragma once

#include <cmath>

#include "spar/rl/view.hpp"

namespace spar::rl {

/// What one pass over the policy tells. The KL estimates are those of KL(old || new) from samples of the old policy:
/// k1 = mean(-log rho), unbiased; k3 = mean(rho - 1 - log rho), never negative and of less variance.
struct PpoPolicyLoss {
  double loss = 0;           ///< without the entropy bonus
  double clip_fraction = 0;  ///< share of rows with |rho - 1| > clip
  double kl = 0;             ///< k3
  double kl_k1 = 0;
};

namespace detail {

/// One row's part of a loss, and its slope in the new log-probability.
struct PpoTerm {
  double loss;
  bool clipped;
  double dlog_prob;
};

/// Means over the rows of term(ratio, log_ratio, advantage), and its gradient.
template <class OldLogProb, class NewLogProb, class Advantage, class DLogProb, class Term>
PpoPolicyLoss ppo_mean(const OldLogProb& old_log_prob, const NewLogProb& log_prob, const Advantage& advantage,
                       DLogProb&& dlog_prob, Term&& term) {
  const size_t rows = old_log_prob.size();
  require_size(rows, log_prob.size(), "log_prob");
  require_size(rows, advantage.size(), "advantage");
  require_size(rows, dlog_prob.size(), "dlog_prob");
  PpoPolicyLoss sum;
  for (size_t i = 0; i < rows; ++i) {
    const double log_ratio = static_cast<double>(log_prob.data()[i]) - static_cast<double>(old_log_prob.data()[i]);
    const double ratio = std::exp(log_ratio);
    const PpoTerm one = term(ratio, log_ratio, static_cast<double>(advantage.data()[i]));
    sum.loss += one.loss;
    sum.clip_fraction += one.clipped;
    sum.kl += ratio - 1 - log_ratio;
    sum.kl_k1 -= log_ratio;
    dlog_prob.data()[i] = static_cast<ElementOf<DLogProb>>(one.dlog_prob / static_cast<double>(rows));
  }
  if (rows == 0) return sum;
  const double n = static_cast<double>(rows);
  return {sum.loss / n, sum.clip_fraction / n, sum.kl / n, sum.kl_k1 / n};
}

}  // namespace detail

/// L = -1/B sum_i min(rho_i A_i, clip(rho_i, 1 - c, 1 + c) A_i), rho = exp(new - old) (eq. 7), with its gradient with
/// respect to the new log-probabilities: -rho_i A_i / B where the first is the smaller, 0 where the clipped one is.
/// The entropy bonus -c_e H is the caller's: dentropy = -c_e / B. All arrays: [B].
template <class OldLogProb, class NewLogProb, class Advantage, class DLogProb>
PpoPolicyLoss ppo_policy_loss(const OldLogProb& old_log_prob, const NewLogProb& log_prob, const Advantage& advantage,
                              double clip, DLogProb&& dlog_prob) {
  return detail::ppo_mean(old_log_prob, log_prob, advantage, dlog_prob,
                          [clip](double ratio, double, double a) -> detail::PpoTerm {
                            const double clipped = ratio < 1 - clip ? 1 - clip : ratio > 1 + clip ? 1 + clip : ratio;
                            const bool outside = std::abs(ratio - 1) > clip;
                            if (ratio * a <= clipped * a) return {-(ratio * a), outside, -ratio * a};
                            return {-(clipped * a), outside, 0.0};
                          });
}

/// L = 1/B sum_i (-rho_i A_i + beta (rho_i - 1 - log rho_i)): the penalised objective (eq. 8) with k3 for KL(old ||
/// new), and its gradient (-rho_i A_i + beta (rho_i - 1)) / B. clip_fraction is 0. All arrays: [B].
template <class OldLogProb, class NewLogProb, class Advantage, class DLogProb>
PpoPolicyLoss ppo_penalty_loss(const OldLogProb& old_log_prob, const NewLogProb& log_prob, const Advantage& advantage,
                               double beta, DLogProb&& dlog_prob) {
  return detail::ppo_mean(old_log_prob, log_prob, advantage, dlog_prob,
                          [beta](double ratio, double log_ratio, double a) -> detail::PpoTerm {
                            const double kl = ratio - 1 - log_ratio;
                            return {beta * kl - ratio * a, false, beta * (ratio - 1) - ratio * a};
                          });
}

/// The penalty's weight for the next phase (section 4): halved where kl < target_kl / 1.5, doubled where it is above
/// 1.5 target_kl.
inline double ppo_adapted_beta(double beta, double kl, double target_kl) {
  return kl < target_kl / 1.5 ? beta / 2 : kl > 1.5 * target_kl ? beta * 2 : beta;
}

/// True where the policy has moved too far for another step: kl > 1.5 target_kl. Ask before the optimiser's step, and
/// leave all epochs of the phase.
inline bool ppo_kl_stop(double kl, double target_kl) { return kl > 1.5 * target_kl; }

/// L = 1/B sum_i (V_i - R_i)^2 with its gradient; with clip > 0 the larger of that error and the one of the value that
/// moves at most `clip` away from the old one. All arrays: [B]; `old_value` is the value at collection, which must not
/// be computed again; it is not read without clipping.
template <class Value, class OldValue, class Returns, class DValue>
double ppo_value_loss(const Value& value, const OldValue& old_value, const Returns& returns, double clip,
                      DValue&& dvalue) {
  const size_t rows = value.size();
  require_size(rows, returns.size(), "returns");
  require_size(rows, dvalue.size(), "dvalue");
  if (clip > 0) require_size(rows, old_value.size(), "old_value");
  double sum = 0;
  for (size_t i = 0; i < rows; ++i) {
    const double v = static_cast<double>(value.data()[i]), target = static_cast<double>(returns.data()[i]);
    double error = v - target, slope = 2 * error;
    if (clip > 0) {
      const double old = static_cast<double>(old_value.data()[i]);
      const double held = v < old - clip ? old - clip : v > old + clip ? old + clip : v;
      if (std::abs(held - target) > std::abs(error)) {
        error = held - target;
        slope = 0;
      }
    }
    sum += error * error;
    dvalue.data()[i] = static_cast<ElementOf<DValue>>(slope / static_cast<double>(rows));
  }
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

}  // namespace spar::rl
