// Drawing in proportion to priorities (Schaul et al., "Prioritized experience replay", 2016, proportional variant).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/replay/sum_tree.hpp"
#include "core/rng/philox.hpp"

namespace spar::replay {

/// Mass of slot i: (p_i + eps)^alpha. A new transition has the running maximum of the p reported so far (before the
/// power), 1 while none was reported, so that everything is likely to be drawn soon.
class Prioritised {
 public:
  Prioritised(uint64_t slots, double alpha, double eps);

  /// Slots that were just filled.
  void insert(std::span<const uint64_t> slots);
  /// New priorities, finite and >= 0.
  void update(std::span<const uint64_t> slots, std::span<const float> p);
  /// Draws slots.size() slots, one from each of as many equal parts of the total mass. Precondition: a slot is filled.
  void draw(Philox& random, std::span<uint64_t> slots);
  /// weight_i = (N P(i))^-beta, divided by the largest of the batch, for the slots just drawn. before(i) is called
  /// ahead of every weight: the power leaves time to ask for what is read next.
  template <class Before>
  void weigh(double beta, std::span<float> weight, Before&& before) const {
    const float exponent = static_cast<float>(beta);
    for (size_t i = 0; i < weight.size(); ++i) {
      before(i);
      weight[i] = std::pow(static_cast<float>(scratch_[i]), exponent);
    }
  }

  double mass(uint64_t slot) const { return tree_.at(slot); }
  double total() const { return tree_.total(); }
  size_t bytes() const { return tree_.bytes(); }

  /// Masses of the first `filled` slots and the running maximum.
  void save(ByteWriter& out, uint64_t filled) const;
  void load(ByteReader& in, uint64_t filled);

 private:
  double mass_of(double p) const;

  SumTree tree_;
  double alpha_, eps_;
  double largest_ = 1;  ///< running maximum of p
  uint8_t has_largest_ = 0;
  std::vector<double> scratch_;  ///< behind draw(): the smallest mass drawn by that of each slot
};

}  // namespace spar::replay
