// alpha-Rank (Omidshafiei et al., "alpha-Rank: multi-agent evaluation by evolution", 2019): a Markov chain over the
// combinations of strategies, in which one player at a time may take up another strategy. Equation 4 of the paper, one
// population for each player: rho = (1 - exp(-alpha d)) / (1 - exp(-alpha m d)) for a gain of d, 1/m for d = 0.
#pragma once

#include "core/game/meta_solver.hpp"

namespace spar::game {

class AlphaRank : public MetaSolver {
 public:
  explicit AlphaRank(double alpha = 10, double population = 50) : alpha_(alpha), population_(population) {}

  /// The marginals of the stationary distribution. Throws E1105 for more than kMostProfiles combinations.
  Mixture solve(const PayoffTable& table) override;
  /// By combination, in the order of PayoffTable::each().
  std::vector<double> stationary(const PayoffTable& table) const;

  static constexpr size_t kMostProfiles = 1'600;

 private:
  double alpha_, population_;
};

}  // namespace spar::game
