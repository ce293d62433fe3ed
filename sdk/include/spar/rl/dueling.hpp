// Dueling aggregation (Wang et al. 2016, eq. 9). B rows, n actions; the mean is over the actions of one row.
#pragma once

#include "spar/rl/view.hpp"

namespace spar::rl {

/// Q = V + A - mean_a A. value: [B]; advantage, q: [B, n] (q may be advantage itself). Throws std::invalid_argument if
/// the shapes do not agree.
template <class Value, class Advantage, class Q>
void dueling(const Value& value, const Advantage& advantage, Q&& q) {
  const size_t rows = value.size(), n = columns_of(advantage.size(), rows, "advantage");
  require_size(advantage.size(), q.size(), "q");
  for (size_t i = 0; i < rows; ++i) {
    const auto* a = advantage.data() + i * n;
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += static_cast<double>(a[j]);
    const double shift = static_cast<double>(value.data()[i]) - sum / static_cast<double>(n);
    for (size_t j = 0; j < n; ++j) q.data()[i * n + j] = static_cast<ElementOf<Q>>(static_cast<double>(a[j]) + shift);
  }
}

/// Backward: dV = sum_a dQ_a, dA_a = dQ_a - mean_b dQ_b. Shapes and errors as above.
template <class DQ, class DValue, class DAdvantage>
void dueling_gradient(const DQ& dq, DValue&& dvalue, DAdvantage&& dadvantage) {
  const size_t rows = dvalue.size(), n = columns_of(dq.size(), rows, "dq");
  require_size(dq.size(), dadvantage.size(), "dadvantage");
  for (size_t i = 0; i < rows; ++i) {
    const auto* d = dq.data() + i * n;
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += static_cast<double>(d[j]);
    for (size_t j = 0; j < n; ++j)
      dadvantage.data()[i * n + j] =
          static_cast<ElementOf<DAdvantage>>(static_cast<double>(d[j]) - sum / static_cast<double>(n));
    dvalue.data()[i] = static_cast<ElementOf<DValue>>(sum);
  }
}

/// The same for distributions (Hessel et al., "Rainbow", 2018): for each atom by itself, logits(a) = V + A(a) -
/// mean_b A(b). value: [B, atoms]; advantage, logits: [B, n, atoms] (logits may be advantage itself). Throws
/// std::invalid_argument if the shapes do not agree.
template <class Value, class Advantage, class Logits>
void dueling_atoms(const Value& value, const Advantage& advantage, size_t atoms, Logits&& logits) {
  const size_t rows = columns_of(value.size(), atoms, "value");
  const size_t width = columns_of(advantage.size(), rows, "advantage"), n = columns_of(width, atoms, "advantage");
  require_size(advantage.size(), logits.size(), "logits");
  for (size_t i = 0; i < rows; ++i) {
    const auto* a = advantage.data() + i * width;
    auto* out = logits.data() + i * width;
    for (size_t k = 0; k < atoms; ++k) {
      double sum = 0;
      for (size_t j = 0; j < n; ++j) sum += static_cast<double>(a[j * atoms + k]);
      const double shift = static_cast<double>(value.data()[i * atoms + k]) - sum / static_cast<double>(n);
      for (size_t j = 0; j < n; ++j)
        out[j * atoms + k] = static_cast<ElementOf<Logits>>(static_cast<double>(a[j * atoms + k]) + shift);
    }
  }
}

/// Backward: dV = sum_a dlogits(a), dA(a) = dlogits(a) - mean_b dlogits(b), for each atom by itself. Shapes and errors
/// as above; dadvantage may be dlogits itself.
template <class DLogits, class DValue, class DAdvantage>
void dueling_atoms_gradient(const DLogits& dlogits, size_t atoms, DValue&& dvalue, DAdvantage&& dadvantage) {
  const size_t rows = columns_of(dvalue.size(), atoms, "dvalue");
  const size_t width = columns_of(dlogits.size(), rows, "dlogits"), n = columns_of(width, atoms, "dlogits");
  require_size(dlogits.size(), dadvantage.size(), "dadvantage");
  for (size_t i = 0; i < rows; ++i) {
    const auto* d = dlogits.data() + i * width;
    auto* out = dadvantage.data() + i * width;
    for (size_t k = 0; k < atoms; ++k) {
      double sum = 0;
      for (size_t j = 0; j < n; ++j) sum += static_cast<double>(d[j * atoms + k]);
      for (size_t j = 0; j < n; ++j)
        out[j * atoms + k] =
            static_cast<ElementOf<DAdvantage>>(static_cast<double>(d[j * atoms + k]) - sum / static_cast<double>(n));
      dvalue.data()[i * atoms + k] = static_cast<ElementOf<DValue>>(sum);
    }
  }
}

}  // namespace spar::rl
