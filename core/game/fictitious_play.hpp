// Fictitious play in the extensive form (Heinrich, Lanctot and Silver, "Fictitious self-play in extensive-form games",
// 2015): every player's average strategy moves towards a best response to the others' averages. In plans that is
// x_{t+1} = x_t + (b_t - x_t) / (t + 2), x_0 uniform.
#pragma once

#include <vector>

#include "core/game/plan.hpp"

namespace spar::game {

class FictitiousPlay {
 public:
  /// `form` outlives this.
  explicit FictitiousPlay(const SequenceForm& form);

  /// All players at once.
  void iterate();
  uint64_t iterations() const { return iterations_; }
  const std::vector<Plan>& average() const { return average_; }

 private:
  const SequenceForm& form_;
  uint64_t iterations_ = 0;
  std::vector<Plan> average_;
};

}  // namespace spar::game
