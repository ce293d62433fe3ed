#include "core/game/meta_solver.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/config/experiment.hpp"
#include "core/game/alpha_rank.hpp"
#include "core/game/meta_solvers.hpp"
#include "core/game/nash.hpp"

namespace spar::game {

const std::vector<std::string>& meta_solver_names() {
  static const std::vector<std::string> names(std::begin(config::kMetaSolvers), std::end(config::kMetaSolvers));
  return names;
}

std::unique_ptr<MetaSolver> make_meta_solver(std::string_view name, uint64_t iterations) {
  if (name == "regret_matching_plus") return std::make_unique<RegretMatchingPlus>(iterations ? iterations : 30);
  if (name == "nash") return std::make_unique<Nash>();
  if (name == "fictitious_play") return std::make_unique<MetaFictitiousPlay>(iterations ? iterations : 10'000);
  if (name == "replicator") return std::make_unique<Replicator>(iterations ? iterations : 10'000);
  if (name == "alpha_rank") return std::make_unique<AlphaRank>();
  if (name == "uniform") return std::make_unique<Uniform>();
  throw Error("E0207", Exit::usage, "there is no meta-solver `" + printable(name) + "`")
      .help("meta-solvers: " + listing(meta_solver_names()));
}

double meta_nash_conv(const PayoffTable& table, const Mixture& mixture) {
  double sum = 0;
  for (size_t p = 0; p < table.players(); ++p) {
    std::vector<double> slope(table.sizes()[p]);
    slopes(table, p, mixture, slope);
    sum += *std::ranges::max_element(slope) - std::inner_product(slope.begin(), slope.end(), mixture[p].begin(), 0.0);
  }
  return sum;
}

}  // namespace spar::game
