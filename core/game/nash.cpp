#include "core/game/nash.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/game/clp.hpp"

namespace spar::game {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::max();
/// Payoffs that are 0 but for rounding would make pivots of nothing: the simplex method then ends too early.
constexpr double kRounding = 1e-13;

/// Rounding leaves numbers a little below 0 and sums a little off 1.
std::vector<double> distribution(const double* from, size_t n, double sign) {
  std::vector<double> out(n);
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += out[i] = sign * from[i] > 1e-12 ? sign * from[i] : 0.0;
  for (double& x : out) x /= sum;
  return out;
}

/// The largest payoff. Throws E1104 unless the table is zero-sum between two players.
double scale_of(const PayoffTable& table) {
  if (table.players() != 2) {
    throw Error("E1104", Exit::usage,
                "the meta-solver `nash` solves games of 2 players, this one has " + std::to_string(table.players()))
        .help("use another meta_solver, e.g. regret_matching_plus");
  }
  double largest = 0;
  bool zero_sum = true;
  PayoffTable::each(table.sizes(), [&](std::span<const size_t> index) {
    const double a = table.at(0, index), b = table.at(1, index);
    largest = std::max({largest, std::abs(a), std::abs(b)});
    zero_sum = zero_sum && std::abs(a + b) <= 1e-9 * std::max(1.0, std::abs(a));
  });
  if (!zero_sum) {
    throw Error("E1104", Exit::usage,
                "the meta-solver `nash` solves zero-sum games; in this one the payoffs of the players do not add to 0")
        .help("use another meta_solver, e.g. replicator");
  }
  return std::max(largest, 1e-300);
}

}  // namespace

Mixture Nash::solve(const PayoffTable& table) {
  const double largest = scale_of(table);
  const size_t n = table.sizes()[0], m = table.sizes()[1];
  LinearProgram program;
  program.begin.push_back(0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < m; ++j) {
      const size_t index[] = {i, j};
      const double payoff = table.at(0, index);
      if (std::abs(payoff) < kRounding * largest) continue;
      program.row.push_back(static_cast<int>(j));
      program.value.push_back(payoff);
    }
    program.row.push_back(static_cast<int>(m));
    program.value.push_back(1);
    program.begin.push_back(static_cast<int>(program.row.size()));
  }
  for (size_t j = 0; j < m; ++j) {  // the last column is v
    program.row.push_back(static_cast<int>(j));
    program.value.push_back(-1);
  }
  program.begin.push_back(static_cast<int>(program.row.size()));
  program.objective.assign(n + 1, 0.0);
  program.objective[n] = 1;
  program.least.assign(n + 1, 0.0);
  program.least[n] = -kInfinite;
  program.lower.assign(m + 1, 0.0);
  program.upper.assign(m + 1, kInfinite);
  program.lower[m] = program.upper[m] = 1;
  const LinearSolution solution = maximise(program);

  // Conventions of sign differ between libraries; the dual variables of these rows all have the same.
  const auto last = solution.dual.begin() + static_cast<std::ptrdiff_t>(m);
  const double sign = std::accumulate(solution.dual.begin(), last, 0.0) < 0 ? -1 : 1;
  Mixture out = {distribution(solution.x.data(), n, 1), distribution(solution.dual.data(), m, sign)};
  if (const double gain = meta_nash_conv(table, out); !(gain <= 1e-7 * largest)) {
    throw Error("E1107", Exit::failed,
                "the linear program of the meta-game ended away from its equilibrium: the players can gain " +
                    std::to_string(gain))
        .help("use another meta_solver, e.g. regret_matching_plus");
  }
  return out;
}

}  // namespace spar::game
