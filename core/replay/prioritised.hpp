// Drawing in proportion to priorities (Schaul et al., "Prioritized experience replay", 2016, proportional variant).
#pragma once

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
  /// Draws slots.size() slots, one from each of as many equal parts of the total mass. weight_i = (N P(i))^-beta
  /// divided by the largest of the batch. Precondition: a slot is filled.
  void draw(Philox& random, double beta, std::span<uint64_t> slots, std::span<float> weight);

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
  std::vector<double> scratch_;
};

}  // namespace spar::replay
