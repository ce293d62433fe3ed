// What the scenarios that solve a game have in common: PSRO with exact best responses, CFR and CFR+.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/config/experiment.hpp"
#include "core/game/exploitability.hpp"

namespace spar::solve {

class Solver {
 public:
  virtual ~Solver() = default;

  virtual void iterate() = 0;
  virtual uint64_t iterations() const = 0;
  /// The strategies so far, one plan for each player, and how far they are from equilibrium.
  virtual std::vector<game::Plan> plans() const = 0;
  virtual game::Exploitability result() const = 0;
  /// Further numbers for the metrics: name and value.
  virtual std::vector<std::pair<std::string, double>> details() const { return {}; }
  /// Payoffs and mixtures of the empirical game; empty if there is none.
  virtual boost::json::object empirical_game() const { return {}; }

  virtual void save(ByteWriter& writer) const = 0;
  virtual void load(ByteReader& reader) = 0;
};

/// The solver that the experiment's scenario names. `form` outlives it. Throws E0207 as
/// make_meta_solver(), E1104 if the meta-solver cannot solve this game.
std::unique_ptr<Solver> make_solver(const config::Experiment& experiment, const game::SequenceForm& form);

}  // namespace spar::solve
