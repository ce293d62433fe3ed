// Proportional prioritised replay (Schaul et al., "Prioritized experience replay", 2016, section 3.3 and 3.4).
#pragma once

#include <cmath>

#include "spar/rl/view.hpp"

namespace spar::rl {

/// Mass of a transition in the draw: (|error| + eps)^alpha. With eps > 0 no transition is lost for ever.
inline double priority_mass(double error, double alpha, double eps) { return std::pow(std::abs(error) + eps, alpha); }

/// P(i) = mass_i / sum_k mass_k. mass, probability: [N]. Throws std::invalid_argument on unequal lengths.
template <class Mass, class Probability>
void priority_probabilities(const Mass& mass, Probability&& probability) {
  require_size(mass.size(), probability.size(), "probability");
  double total = 0;
  for (size_t i = 0; i < mass.size(); ++i) total += static_cast<double>(mass.data()[i]);
  for (size_t i = 0; i < mass.size(); ++i)
    probability.data()[i] = static_cast<ElementOf<Probability>>(static_cast<double>(mass.data()[i]) / total);
}

/// w = (N P)^-beta, not normalised; `stored` is N, all transitions in the table.
inline double importance_weight(double probability, double stored, double beta) {
  return std::pow(stored * probability, -beta);
}

/// w_i = (N P(i))^-beta / max_j w_j, the maximum taken over the batch. probability, weight: [B]. Throws
/// std::invalid_argument on unequal lengths.
template <class Probability, class Weight>
void importance_weights(const Probability& probability, double stored, double beta, Weight&& weight) {
  require_size(probability.size(), weight.size(), "weight");
  double largest = 0;
  for (size_t i = 0; i < probability.size(); ++i)
    largest = std::fmax(largest, importance_weight(static_cast<double>(probability.data()[i]), stored, beta));
  for (size_t i = 0; i < probability.size(); ++i)
    weight.data()[i] = static_cast<ElementOf<Weight>>(
        importance_weight(static_cast<double>(probability.data()[i]), stored, beta) / largest);
}

/// The item whose interval [sum before it, sum with it) holds `position`; items of no mass are never picked, and a
/// position at or past the total gives the last item that has mass. Takes linear time: the reference for trees.
/// Precondition: some item has mass.
template <class Mass>
size_t pick_by_mass(const Mass& mass, double position) {
  size_t last = 0;
  double sum = 0;
  for (size_t i = 0; i < mass.size(); ++i) {
    if (!(mass.data()[i] > 0)) continue;
    last = i;
    sum += static_cast<double>(mass.data()[i]);
    if (position < sum) break;
  }
  return last;
}

/// Where the i-th of n strata draws with u in [0, 1): (i + u) / n of the total mass.
inline double stratified_position(size_t i, size_t n, double u, double total) {
  return (static_cast<double>(i) + u) / static_cast<double>(n) * total;
}

}  // namespace spar::rl
