// Dueling aggregation (Wang et al. 2016, eq. 9), of numbers and of distributions over atoms. B rows, n actions; the
// mean is over the actions of one row. All throw std::invalid_argument if the shapes do not agree.
#pragma once

#include "spar/rl/view.hpp"

namespace spar::rl {

namespace detail {

/// value [rows, atoms], advantage and out [rows, n, atoms]; out may be advantage itself.
template <class Value, class Advantage, class Out>
void dueling(size_t rows, size_t n, size_t atoms, const Value& value, const Advantage& advantage, Out&& out) {
  for (size_t i = 0; i < rows; ++i) {
    const auto* a = advantage.data() + i * n * atoms;
    auto* to = out.data() + i * n * atoms;
    for (size_t k = 0; k < atoms; ++k) {
      double sum = 0;
      for (size_t j = 0; j < n; ++j) sum += static_cast<double>(a[j * atoms + k]);
      const double shift = static_cast<double>(value.data()[i * atoms + k]) - sum / static_cast<double>(n);
      for (size_t j = 0; j < n; ++j)
        to[j * atoms + k] = static_cast<ElementOf<Out>>(static_cast<double>(a[j * atoms + k]) + shift);
    }
  }
}

/// Shapes as above; dadvantage may be d itself.
template <class D, class DValue, class DAdvantage>
void dueling_gradient(size_t rows, size_t n, size_t atoms, const D& d, DValue&& dvalue, DAdvantage&& dadvantage) {
  for (size_t i = 0; i < rows; ++i) {
    const auto* from = d.data() + i * n * atoms;
    auto* to = dadvantage.data() + i * n * atoms;
    for (size_t k = 0; k < atoms; ++k) {
      double sum = 0;
      for (size_t j = 0; j < n; ++j) sum += static_cast<double>(from[j * atoms + k]);
      for (size_t j = 0; j < n; ++j)
        to[j * atoms + k] =
            static_cast<ElementOf<DAdvantage>>(static_cast<double>(from[j * atoms + k]) - sum / static_cast<double>(n));
      dvalue.data()[i * atoms + k] = static_cast<ElementOf<DValue>>(sum);
    }
  }
}

}  // namespace detail

/// Q = V + A - mean_a A. value: [B]; advantage, q: [B, n] (q may be advantage itself).
template <class Value, class Advantage, class Q>
void dueling(const Value& value, const Advantage& advantage, Q&& q) {
  const size_t rows = value.size(), n = columns_of(advantage.size(), rows, "advantage");
  require_size(advantage.size(), q.size(), "q");
  detail::dueling(rows, n, 1, value, advantage, q);
}

/// Backward: dV = sum_a dQ_a, dA_a = dQ_a - mean_b dQ_b. Shapes as above.
template <class DQ, class DValue, class DAdvantage>
void dueling_gradient(const DQ& dq, DValue&& dvalue, DAdvantage&& dadvantage) {
  const size_t rows = dvalue.size(), n = columns_of(dq.size(), rows, "dq");
  require_size(dq.size(), dadvantage.size(), "dadvantage");
  detail::dueling_gradient(rows, n, 1, dq, dvalue, dadvantage);
}

/// The same for distributions (Hessel et al., "Rainbow", 2018): for each atom by itself, logits(a) = V + A(a) -
/// mean_b A(b). value: [B, atoms]; advantage, logits: [B, n, atoms] (logits may be advantage itself).
template <class Value, class Advantage, class Logits>
void dueling_atoms(const Value& value, const Advantage& advantage, size_t atoms, Logits&& logits) {
  const size_t rows = columns_of(value.size(), atoms, "value");
  const size_t width = columns_of(advantage.size(), rows, "advantage"), n = columns_of(width, atoms, "advantage");
  require_size(advantage.size(), logits.size(), "logits");
  detail::dueling(rows, n, atoms, value, advantage, logits);
}

/// Backward: dV = sum_a dlogits(a), dA(a) = dlogits(a) - mean_b dlogits(b), for each atom by itself. Shapes as above;
/// dadvantage may be dlogits itself.
template <class DLogits, class DValue, class DAdvantage>
void dueling_atoms_gradient(const DLogits& dlogits, size_t atoms, DValue&& dvalue, DAdvantage&& dadvantage) {
  const size_t rows = columns_of(dvalue.size(), atoms, "dvalue");
  const size_t width = columns_of(dlogits.size(), rows, "dlogits"), n = columns_of(width, atoms, "dlogits");
  require_size(dlogits.size(), dadvantage.size(), "dadvantage");
  detail::dueling_gradient(rows, n, atoms, dlogits, dvalue, dadvantage);
}

}  // namespace spar::rl
