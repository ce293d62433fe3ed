// Soft actor-critic (Haarnoja et al., "Soft actor-critic algorithms and applications", 2018). B rows, `members` critics
// evaluated together: q is [members, B]. All throw std::invalid_argument if the shapes do not agree.
#pragma once

#include "spar/rl/view.hpp"

namespace spar::rl {

/// y = r + discount (min_k Q'_k(s', a') - alpha log pi(a'|s')), a' from the policy (eq. 3 and section 5): termination
/// takes the entropy away too. reward, discount, next_log_prob, target: [B]; q_target_next: [members, B].
template <class Reward, class Discount, class Next, class NextLogProb, class Target>
void sac_targets(const Reward& reward, const Discount& discount, const Next& q_target_next,
                 const NextLogProb& next_log_prob, double alpha, Target&& target) {
  const size_t rows = reward.size(), members = columns_of(q_target_next.size(), rows, "q_target_next");
  require_size(rows, discount.size(), "discount");
  require_size(rows, next_log_prob.size(), "next_log_prob");
  require_size(rows, target.size(), "target");
  for (size_t i = 0; i < rows; ++i) {
    double least = static_cast<double>(q_target_next.data()[i]);
    for (size_t k = 1; k < members; ++k) {
      const double q = static_cast<double>(q_target_next.data()[k * rows + i]);
      if (q < least) least = q;
    }
    const double soft = least - alpha * static_cast<double>(next_log_prob.data()[i]);
    target.data()[i] = static_cast<ElementOf<Target>>(static_cast<double>(reward.data()[i]) +
                                                      static_cast<double>(discount.data()[i]) * soft);
  }
}

/// L = 1/B sum_i alpha log pi(a_i|s_i) - min_k Q_k(s_i, a_i) (eq. 7), with its gradient with respect to the critics'
/// outputs: -1/B for the smallest of each row, 0 for the others. The one with respect to log pi is alpha / B.
/// q, dq: [members, B]; log_prob: [B].
template <class Q, class LogProb, class DQ>
double sac_actor_loss(const Q& q, const LogProb& log_prob, double alpha, DQ&& dq) {
  const size_t rows = log_prob.size(), members = columns_of(q.size(), rows, "q");
  require_size(q.size(), dq.size(), "dq");
  double sum = 0;
  for (size_t i = 0; i < rows; ++i) {
    size_t least = 0;
    for (size_t k = 1; k < members; ++k)
      if (q.data()[k * rows + i] < q.data()[least * rows + i]) least = k;
    for (size_t k = 0; k < members; ++k)
      dq.data()[k * rows + i] = static_cast<ElementOf<DQ>>(k == least ? -1.0 / static_cast<double>(rows) : 0.0);
    sum += alpha * static_cast<double>(log_prob.data()[i]) - static_cast<double>(q.data()[least * rows + i]);
  }
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

struct SacAlphaLoss {
  double loss = 0;
  double dlog_alpha = 0;
};

/// L = -log alpha 1/B sum_i (log pi_i + H), H the target entropy (eq. 18, in log alpha): while the entropy -log pi is
/// above its target, alpha falls. log_prob: [B].
template <class LogProb>
SacAlphaLoss sac_alpha_loss(double log_alpha, const LogProb& log_prob, double target_entropy) {
  const size_t rows = log_prob.size();
  double sum = 0;
  for (size_t i = 0; i < rows; ++i) sum += static_cast<double>(log_prob.data()[i]) + target_entropy;
  const double gap = rows == 0 ? 0 : sum / static_cast<double>(rows);
  return {-log_alpha * gap, -gap};
}

}  // namespace spar::rl
