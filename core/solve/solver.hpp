// What the scenarios that solve a game have in common: PSRO with exact or learned best responses, CFR and CFR+.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/config/experiment.hpp"
#include "core/game/exploitability.hpp"
#include "core/game/mixture.hpp"
#include "core/game/views.hpp"
#include "core/rollout/backends.hpp"

namespace spar::solve {

class Solver {
 public:
  virtual ~Solver() = default;

  /// False if `cancelled` said true on the way: then nothing has changed.
  virtual bool iterate(const std::function<bool()>& cancelled) = 0;
  virtual uint64_t iterations() const = 0;
  /// The strategies so far, one plan for each player, and how far they are from equilibrium.
  virtual std::vector<game::Plan> plans() const = 0;
  virtual game::Exploitability result() const = 0;
  /// What each player draws a strategy from, once for each episode: plays like plans().
  virtual std::vector<game::Population> populations() const = 0;
  /// Further numbers for the metrics: name and value.
  virtual std::vector<std::pair<std::string, double>> details() const { return {}; }
  /// Of the networks that learn, if any do: what the manifest names, and bytes in memory.
  virtual std::vector<std::string> backends() const { return {}; }
  virtual uint64_t learner_bytes() const { return 0; }
  /// Payoffs and mixtures of the empirical game; empty if there is none.
  virtual boost::json::object empirical_game() const { return {}; }

  virtual void save(ByteWriter& writer) const = 0;
  virtual void load(ByteReader& reader) = 0;
};

/// The solver that the experiment's scenario names. References outlive it; `seen.views` are needed by learned responses
/// only. Throws E0207 as make_meta_solver(), E1104 if the meta-solver cannot solve this game, and what LearnedOracle
/// throws.
std::unique_ptr<Solver> make_solver(const config::Experiment& experiment, const game::SeenGame& seen,
                                    const rollout::ComponentLoader& load, const spar_host& host);

}  // namespace spar::solve
