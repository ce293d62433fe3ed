// An equilibrium of a zero-sum table by linear programming (von Neumann; the form of Dantzig): the first player's
// mixture x maximises v subject to sum_i x_i u_ij >= v for every j; the dual variables are the second player's mixture.
#pragma once

#include "core/game/meta_solver.hpp"

namespace spar::game {

class Nash : public MetaSolver {
 public:
  /// Throws E1104 unless the table is zero-sum between two players, E1106 without the library, E1107 if it finds no
  /// equilibrium. What it finds is checked: nobody can gain more than 1e-7 of the largest payoff.
  Mixture solve(const PayoffTable& table) override;
};

}  // namespace spar::game
