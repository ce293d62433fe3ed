#include "core/solve/solver.hpp"

#include <boost/json.hpp>

#include "core/base/error.hpp"
#include "core/game/cfr.hpp"
#include "core/game/psro.hpp"
#include "core/solve/learned_oracle.hpp"

namespace spar::solve {
namespace {

boost::json::array numbers(std::span<const double> values) {
  boost::json::array out;
  for (const double x : values) out.push_back(x);
  return out;
}

class PsroSolver : public Solver {
 public:
  PsroSolver(const config::SolveConfig& config, const game::SequenceForm& form, std::unique_ptr<LearnedOracle> oracle)
      : form_(form),
        meta_solver_(config.meta_solver),
        psro_(form, game::make_meta_solver(config.meta_solver, config.meta_iterations)),
        oracle_(std::move(oracle)) {}

  bool iterate(const std::function<bool()>& cancelled) override {
    if (oracle_) return iterate_learning(cancelled);
    psro_.iterate();
    return true;
  }
  uint64_t iterations() const override { return psro_.iterations(); }
  std::vector<game::Plan> plans() const override { return psro_.plans(); }
  game::Exploitability result() const override { return psro_.result(); }
  std::vector<game::Population> populations() const override {
    std::vector<game::Population> out;
    for (size_t p = 0; p < form_.players.size(); ++p) {
      const auto& mixture = psro_.mixture()[p];
      const auto first = psro_.populations()[p].begin();
      out.push_back({{first, first + static_cast<std::ptrdiff_t>(mixture.size())}, mixture});
    }
    return out;
  }

  std::vector<std::pair<std::string, double>> details() const override {
    std::vector<std::pair<std::string, double>> out;
    for (size_t p = 0; p < form_.players.size(); ++p)
      out.emplace_back("population/" + form_.players[p].name, static_cast<double>(psro_.mixture()[p].size()));
    out.insert(out.end(), learnt_.begin(), learnt_.end());
    return out;
  }
  std::vector<std::string> backends() const override {
    return oracle_ ? oracle_->backends() : std::vector<std::string>();
  }
  uint64_t learner_bytes() const override { return oracle_ ? oracle_->memory_bytes() : 0; }

  /// {"meta_solver", "players": [{"name", "mixture": [..]}], "payoffs": one for each player, nested lists by the
  /// strategies of player 0, then 1, ..}
  boost::json::object empirical_game() const override {
    if (psro_.iterations() == 0) return {};  // no payoff is known
    boost::json::array players, payoffs;
    for (size_t p = 0; p < form_.players.size(); ++p) {
      players.push_back(boost::json::object{{"name", form_.players[p].name}, {"mixture", numbers(psro_.mixture()[p])}});
      std::vector<size_t> index;
      payoffs.push_back(nested(p, index));
    }
    return {{"meta_solver", meta_solver_}, {"players", std::move(players)}, {"payoffs", std::move(payoffs)}};
  }

  void save(ByteWriter& writer) const override { psro_.save(writer); }
  void load(ByteReader& reader) override { psro_.load(reader); }

 private:
  bool iterate_learning(const std::function<bool()>& cancelled) {
    ByteWriter before;
    psro_.save(before);
    psro_.evaluate();
    std::vector<game::SparsePlan> responses;
    std::vector<std::pair<std::string, double>> learnt;
    for (size_t p = 0; p < form_.players.size(); ++p) {
      auto response = oracle_->respond(p, psro_, cancelled);
      if (!response) {
        const std::vector<std::byte> bytes = before.take();
        ByteReader reader(bytes, "populations");
        psro_.load(reader);
        return false;
      }
      const std::string& name = form_.players[p].name;
      // What the response is worth against the mixture, and how much of what is to be had there it leaves.
      const double value = value_against_mixture(p, response->plan);
      learnt.emplace_back("response/" + name, value);
      learnt.emplace_back("response_gap/" + name, std::max(0.0, psro_.result().best_response[p] - value));
      learnt.insert(learnt.end(), response->metrics.begin(), response->metrics.end());
      responses.push_back(std::move(response->plan));
    }
    psro_.join(std::move(responses));
    learnt_ = std::move(learnt);
    return true;
  }

  double value_against_mixture(size_t player, const game::SparsePlan& plan) const {
    std::vector<double> slope(form_.players[player].sequences());
    game::gradient(form_, player, psro_.plans(), slope);
    return game::dot(slope, plan);
  }

  boost::json::value nested(size_t player, std::vector<size_t>& index) const {
    if (index.size() == form_.players.size()) return psro_.table().at(player, index);
    boost::json::array out;
    for (size_t i = 0, n = psro_.mixture()[index.size()].size(); i < n; ++i) {
      index.push_back(i);
      out.push_back(nested(player, index));
      index.pop_back();
    }
    return out;
  }

  const game::SequenceForm& form_;
  std::string meta_solver_;
  game::Psro psro_;
  std::unique_ptr<LearnedOracle> oracle_;               ///< null: responses are exact
  std::vector<std::pair<std::string, double>> learnt_;  ///< metrics of the last responses
};

class CfrSolver : public Solver {
 public:
  CfrSolver(game::Cfr::Variant variant, const game::SequenceForm& form) : form_(form), cfr_(form, variant) {}

  bool iterate(const std::function<bool()>&) override {
    cfr_.iterate();
    return true;
  }
  uint64_t iterations() const override { return cfr_.iterations(); }
  std::vector<game::Plan> plans() const override { return cfr_.average(); }
  game::Exploitability result() const override { return game::exploitability(form_, plans()); }
  /// Of one strategy, which is not pure.
  std::vector<game::Population> populations() const override {
    std::vector<game::Population> out;
    for (const game::Plan& plan : plans()) out.push_back({{game::sparse(plan)}, {1.0}});
    return out;
  }
  void save(ByteWriter& writer) const override { cfr_.save(writer); }
  void load(ByteReader& reader) override { cfr_.load(reader); }

 private:
  const game::SequenceForm& form_;
  game::Cfr cfr_;
};

}  // namespace

std::unique_ptr<Solver> make_solver(const config::Experiment& experiment, const game::SeenGame& seen,
                                    const rollout::ComponentLoader& load, const spar_host& host) {
  const game::SequenceForm& form = seen.form;
  if (experiment.scenario == "psro" && experiment.solve.meta_solver == "nash" &&
      (form.players.size() != 2 || !form.zero_sum)) {
    throw Error("E1104", Exit::usage,
                "the meta-solver `nash` solves zero-sum games of 2 players, which " + form.game + " is not")
        .help("use another meta_solver, e.g. replicator");
  }
  if (experiment.scenario == "psro") {
    std::unique_ptr<LearnedOracle> oracle;
    if (experiment.learns_responses()) oracle = std::make_unique<LearnedOracle>(experiment, load, host, seen);
    return std::make_unique<PsroSolver>(experiment.solve, form, std::move(oracle));
  }
  const bool plus = experiment.scenario == "cfr_plus";
  return std::make_unique<CfrSolver>(plus ? game::Cfr::Variant::plus : game::Cfr::Variant::plain, form);
}

}  // namespace spar::solve
