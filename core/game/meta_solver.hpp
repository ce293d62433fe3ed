// Meta-solvers: from the payoffs of the empirical game to one mixture for each player.
//   nash                   an exact equilibrium by linear programming; two players, zero-sum
//   regret_matching_plus   alternating predictive regret matching+ with quadratic averaging, which goes on from the
//                          regrets of the solution before (Farina, Kroer and Sandholm, "Faster game solving via
//                          predictive Blackwell approachability", 2021)
//   fictitious_play        counts of best responses, all players at once (Brown, 1951)
//   replicator             time average of replicator dynamics from the uniform mixture (Taylor and Jonker, 1978)
//   alpha_rank             marginals of the stationary distribution of alpha-Rank (Omidshafiei et al., 2019)
//   uniform                every strategy with the same weight
// All but nash take any number of players.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/game/payoff_table.hpp"

namespace spar::game {

class MetaSolver {
 public:
  virtual ~MetaSolver() = default;
  virtual Mixture solve(const PayoffTable& table) = 0;
  /// Does a strategy that comes twice change the mixture of the others?
  virtual bool counts_copies() const { return false; }

  /// What solve() carries from one call to the next.
  virtual void save(ByteWriter& /*writer*/) const {}
  virtual void load(ByteReader& /*reader*/) {}
};

/// Names for make_meta_solver(), the default first.
const std::vector<std::string>& meta_solver_names();

/// `iterations`: of the iterative ones, 0 = their default. Throws E0207 for an unknown name.
std::unique_ptr<MetaSolver> make_meta_solver(std::string_view name, uint64_t iterations = 0);

/// What the players could gain together by leaving the mixture for their best strategy in the table.
double meta_nash_conv(const PayoffTable& table, const Mixture& mixture);

}  // namespace spar::game
