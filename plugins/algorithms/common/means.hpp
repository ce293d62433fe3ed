// Means over the rows of a batch, summed in double.
#pragma once

#include "spar/rl/view.hpp"

namespace common {

/// 1/B sum_i x_i.
template <class X>
double mean(const X& x) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]);
  return sum / static_cast<double>(x.size());
}

/// 1/B sum_i w_i x_i. Throws std::invalid_argument if the lengths differ.
template <class X, class Weight>
double weighted_mean(const X& x, const Weight& weight) {
  spar::rl::require_size(x.size(), weight.size(), "weight");
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(weight[i]) * static_cast<double>(x[i]);
  return sum / static_cast<double>(x.size());
}

}  // namespace common
