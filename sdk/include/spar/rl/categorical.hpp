// Returns as distributions over a fixed support (Bellemare et al., "A distributional perspective on reinforcement
// learning", 2017: C51). B rows, N atoms, arrays [B, N] row-major.
#pragma once

#include <cmath>
#include <vector>

#include "spar/rl/projection.hpp"
#include "spar/rl/softmax.hpp"

namespace spar::rl {

/// The atoms z_i = v_min + i delta, delta = (v_max - v_min) / (N - 1), all in double: a delta from two neighbouring
/// float32 atoms would put v_max past the last of them.
class Support {
 public:
  /// Throws std::invalid_argument unless N >= 2 and v_min < v_max, both finite.
  Support(double v_min, double v_max, size_t atoms) : v_min_(v_min), v_max_(v_max), atoms_(atoms) {
    if (atoms < 2)
      throw std::invalid_argument("a support needs at least 2 atoms, found " + std::to_string(atoms) +
                                  ": raise num_atoms");
    if (!(std::isfinite(v_min) && std::isfinite(v_max) && v_min < v_max))
      throw std::invalid_argument("a support needs finite ends with v_min < v_max, found " + std::to_string(v_min) +
                                  " and " + std::to_string(v_max));
    delta_ = (v_max - v_min) / static_cast<double>(atoms - 1);
    for (size_t i = 0; i + 1 < atoms; ++i) z_.push_back(v_min + static_cast<double>(i) * delta_);
    z_.push_back(v_max);
  }

  size_t size() const { return atoms_; }
  double v_min() const { return v_min_; }
  double v_max() const { return v_max_; }
  double delta() const { return delta_; }
  double operator[](size_t i) const { return z_[i]; }
  const double* data() const { return z_.data(); }

  /// b of the value: its place among the atoms, clamped to [0, N - 1].
  double place(double value) const { return detail::Atoms{z_.data(), atoms_, v_min_, v_max_, delta_}.place(value); }

 private:
  double v_min_, v_max_, delta_;
  size_t atoms_;
  std::vector<double> z_;
};

/// m = Phi(R + discount z): each atom's probability p_j moves to R + discount z_j, clamped to the support, and is
/// shared between the two atoms around it (C51, algorithm 1). All of it arrives, also where it meets one atom exactly.
/// `discount` is gamma^k of the true window length k, 0 if terminated. reward, discount: [B]; p, m: [B, N] (not the
/// same array). Returns how many of the B targets the support cannot hold: their mean R + discount E[Z] lies outside
/// it. Throws std::invalid_argument if the shapes do not agree.
template <class Reward, class Discount, class P, class M>
size_t project(const Support& z, const Reward& reward, const Discount& discount, const P& p, M&& m) {
  const size_t rows = reward.size(), n = z.size();
  require_size(rows, discount.size(), "discount");
  require_size(rows * n, p.size(), "p");
  require_size(rows * n, m.size(), "m");
  const detail::Atoms atoms{z.data(), n, z.v_min(), z.v_max(), z.delta()};
  size_t clipped = 0;
#if SPAR_RL_VECTORS
  if constexpr (std::is_same_v<ElementOf<Reward>, float> && std::is_same_v<ElementOf<Discount>, float> &&
                std::is_same_v<ElementOf<P>, float> && std::is_same_v<ElementOf<M>, float>) {
    detail::project_rows(atoms, reward.data(), discount.data(), p.data(), rows, m.data(), &clipped);
    return clipped;
  }
#endif
  for (size_t i = 0; i < rows; ++i) {
    const double r = static_cast<double>(reward.data()[i]), scale = static_cast<double>(discount.data()[i]);
    const auto* from = p.data() + i * n;
    clipped += detail::project_row(atoms, from, m.data() + i * n, [&](size_t begin, size_t count, auto& moved) {
      for (size_t j = 0; j < count; ++j)
        moved.put(j, atoms, static_cast<double>(from[begin + j]), r + scale * atoms.z[begin + j]);
    });
  }
  return clipped;
}

namespace detail {

/// sum_j p_j z_j of one row, in four sums that do not wait for each other.
template <class P>
double expectation_of(const Support& z, const P* p) {
  const size_t n = z.size();
  const double* atoms = z.data();
  double sum[4] = {};
  size_t j = 0;
  for (; j + 4 <= n; j += 4)
    for (size_t k = 0; k < 4; ++k) sum[k] += static_cast<double>(p[j + k]) * atoms[j + k];
  for (; j < n; ++j) sum[j % 4] += static_cast<double>(p[j]) * atoms[j];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

}  // namespace detail

/// E[Z] = sum_j p_j z_j. p: [B, N]; mean: [B]. Throws std::invalid_argument if the shapes do not agree.
template <class P, class Mean>
void expectation(const Support& z, const P& p, Mean&& mean) {
  const size_t n = z.size(), rows = rows_of(p.size(), n, "p");
  require_size(rows, mean.size(), "mean");
  for (size_t i = 0; i < rows; ++i)
    mean.data()[i] = static_cast<ElementOf<Mean>>(detail::expectation_of(z, p.data() + i * n));
}

/// loss_i = -sum_j m_ij log softmax(logits_i)_j: the loss of each row and its priority. m, logits: [B, N]; loss: [B].
/// Throws std::invalid_argument if the shapes do not agree.
template <class M, class Logits, class Loss>
void cross_entropy(const M& m, const Logits& logits, Loss&& loss) {
  const size_t rows = loss.size(), n = columns_of(logits.size(), rows, "logits");
  require_size(logits.size(), m.size(), "m");
  for (size_t i = 0; i < rows; ++i) {
    const auto* x = logits.data() + i * n;
    const LogSumExp<ElementOf<Logits>> total(x, n);
    double sum = 0;
    for (size_t j = 0; j < n; ++j)
      sum -= static_cast<double>(m.data()[i * n + j]) * static_cast<double>(total.log_p(x[j]));
    loss.data()[i] = static_cast<ElementOf<Loss>>(sum);
  }
}

/// The same losses in one pass with the gradient of L = 1/B sum_i w_i loss_i: dlogits_ij = w_i (softmax_ij - m_ij) / B
/// for rows of m that sum to 1. weight: [B]; dlogits: [B, N].
template <class M, class Logits, class Weight, class Loss, class DLogits>
void cross_entropy_gradient(const M& m, const Logits& logits, const Weight& weight, Loss&& loss, DLogits&& dlogits) {
  const size_t rows = loss.size(), n = columns_of(logits.size(), rows, "logits");
  require_size(logits.size(), m.size(), "m");
  require_size(rows, weight.size(), "weight");
#if SPAR_RL_VECTORS
  if constexpr (std::is_same_v<ElementOf<M>, float> && std::is_same_v<ElementOf<Logits>, float> &&
                std::is_same_v<ElementOf<Weight>, float> && std::is_same_v<ElementOf<Loss>, float> &&
                std::is_same_v<ElementOf<DLogits>, float>) {
    if (n >= detail::kBlock) {
      require_size(logits.size(), dlogits.size(), "dlogits");
      return detail::cross_entropy_rows(m.data(), logits.data(), weight.data(), rows, n, loss.data(), dlogits.data());
    }
  }
#endif
  log_softmax(logits, n, dlogits);
  for (size_t i = 0; i < rows; ++i) {
    const double scale = static_cast<double>(weight.data()[i]) / static_cast<double>(rows);
    double sum = 0;
    for (size_t j = i * n; j < (i + 1) * n; ++j) {
      auto& d = dlogits.data()[j];
      const double mass = static_cast<double>(m.data()[j]);
      sum -= mass * static_cast<double>(d);
      d = static_cast<ElementOf<DLogits>>(scale * (static_cast<double>(std::exp(d)) - mass));
    }
    loss.data()[i] = static_cast<ElementOf<Loss>>(sum);
  }
}

/// L = -1/B sum_i E[Z_i], what a deterministic actor descends (Barth-Maron et al., "D4PG", 2018), with its gradient
/// dlogits_ij = -p_ij (z_j - E[Z_i]) / B. logits, dlogits: [B, N]. Throws std::invalid_argument if the shapes do not
/// agree.
template <class Logits, class DLogits>
double negative_expectation(const Support& z, const Logits& logits, DLogits&& dlogits) {
  const size_t n = z.size(), rows = rows_of(logits.size(), n, "logits");
  softmax(logits, n, dlogits);
  double loss = 0;
  for (size_t i = 0; i < rows; ++i) {
    auto* d = dlogits.data() + i * n;
    const double mean = detail::expectation_of(z, d);
    for (size_t j = 0; j < n; ++j)
      d[j] = static_cast<ElementOf<DLogits>>(-static_cast<double>(d[j]) * (z[j] - mean) / static_cast<double>(rows));
    loss -= mean / static_cast<double>(rows);
  }
  return loss;
}

}  // namespace spar::rl
