// Policy-space response oracles (Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement
// learning", 2017) with the exact oracle: populations of strategies, the table of their payoffs, a mixture over them by
// a meta-solver, and best responses to that mixture, which join the populations.
#pragma once

#include <memory>
#include <vector>

#include "core/game/exploitability.hpp"
#include "core/game/meta_solver.hpp"

namespace spar::game {

class Psro {
 public:
  /// Every population begins with `start` (one behaviour for each player), by default the uniform strategy. `form`
  /// outlives this.
  Psro(const SequenceForm& form, std::unique_ptr<MetaSolver> solver, const std::vector<Behaviour>& start = {});

  /// One iteration with the exact oracle: evaluate(), and exact_response() of each player joins.
  const Exploitability& iterate();

  /// The first half of an iteration: the missing payoffs, the mixture, its distance from equilibrium. Without a
  /// response that joined since, nothing changes but what the meta-solver carries on.
  const Exploitability& evaluate();
  /// A best response of `player` to the mixture of evaluate().
  SparsePlan exact_response(size_t player) const { return pure(form_.players[player], choice_[player]); }
  /// The other half: one response for each player, of its sequences. One that is in the population already is not added
  /// again, unless the meta-solver counts copies.
  void join(std::vector<SparsePlan> responses);

  uint64_t iterations() const { return iterations_; }
  /// Of the last iteration's mixture.
  const Exploitability& result() const { return result_; }
  const Mixture& mixture() const { return mixture_; }
  const PayoffTable& table() const { return table_; }
  /// The first mixture()[p].size() of them are mixed; one that was just found may follow.
  const std::vector<std::vector<SparsePlan>>& populations() const { return populations_; }
  /// One plan for each player: what the mixtures play.
  const std::vector<Plan>& plans() const { return plans_; }

  void save(ByteWriter& writer) const;
  /// Throws E0501 if the state is not of this game.
  void load(ByteReader& reader);

 private:
  void fill_table();
  void fill_bilinear();

  const SequenceForm& form_;
  std::unique_ptr<MetaSolver> solver_;
  std::vector<std::vector<SparsePlan>> populations_;
  PayoffTable table_;
  Mixture mixture_;
  std::vector<Plan> plans_;
  Exploitability result_;
  uint64_t iterations_ = 0;
  std::vector<Plan> scratch_;
  std::vector<std::vector<int32_t>> choice_;
  std::vector<double> values_;
};

}  // namespace spar::game
