// COIN-OR's linear programming library, opened when it is first needed: linked, it would bring LAPACK and OpenBLAS into
// every start of the program.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace spar::game {

/// maximise objective * x, lower_i <= row_i * x <= upper_i, x_j >= least_j; columns sparse.
struct LinearProgram {
  std::vector<int> begin, row;  ///< by column
  std::vector<double> value;
  std::vector<double> objective, least;
  std::vector<double> lower, upper;
};
struct LinearSolution {
  std::vector<double> x, dual;
};

/// By the simplex method, so the solution is a vertex. Throws E1106 if there is no libClp.so.1, E1107 if the program
/// has no optimum.
LinearSolution maximise(const LinearProgram& program);

}  // namespace spar::game
