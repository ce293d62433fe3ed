#include "core/solve/session.hpp"

#include <algorithm>

#include "core/solve/files.hpp"
#include "core/solve/solver.hpp"
#include "core/train/iterating.hpp"

namespace spar::solve {
namespace {

game::SeenGame compile(const train::Host& host, const config::Experiment& experiment) {
  const config::ConfigView view(experiment.env.options);
  game::Position position(*host.table.host(), host.registry.load(SPAR_KIND_ENV, experiment.env.id), *view.get());
  if (experiment.learns_responses()) return game::compile_seen(position);
  return {game::compile(position), {}};
}

/// A game and its solver.
class Solving : public train::Iterated {
 public:
  Solving(const train::Host& host, const config::Experiment& experiment)
      : experiment_(experiment),
        game_(compile(host, experiment)),
        solver_(make_solver(experiment, game_, train::loader_in(host.registry), *host.table.host())) {}

  uint64_t iterations() const override { return solver_->iterations(); }
  bool iterate(const std::function<bool()>& cancelled) override { return solver_->iterate(cancelled); }
  bool is_logged(uint64_t iteration) const override { return solve::is_logged(iteration); }
  std::optional<double> exploitability() const override { return result_.exploitability; }

  std::vector<std::pair<std::string, double>> measure() override {
    result_ = solver_->result();
    std::vector<std::pair<std::string, double>> out = {{"nash_conv", result_.nash_conv},
                                                       {"exploitability", result_.exploitability}};
    for (size_t p = 0; p < game_.form.players.size(); ++p)
      out.emplace_back("value/" + game_.form.players[p].name, result_.value[p]);
    for (auto& detail : solver_->details()) out.push_back(std::move(detail));
    return out;
  }

  /// What the engine holds: plans and regrets by sequence, the payoffs of the populations, and the tree's rows.
  train::Estimate needs() const override {
    uint64_t sequences = 0, entries = game_.form.terminal_payoffs.size();
    for (const auto& player : game_.form.players) sequences += player.sequences();
    for (const auto& rows : game_.form.payoff) entries += rows.value.size();
    // Most runs end long before: best responses come again, and exploitability falls.
    const uint64_t iterations = std::min<uint64_t>(experiment_.stop.iterations().value_or(1'000), 1'000);
    const uint64_t game = 12 * entries + 64 * sequences;
    uint64_t solver = 32 * sequences;
    if (experiment_.scenario == "psro") solver += 16 * iterations * iterations + iterations * sequences;
    return {game + solver + solver_->learner_bytes(),
            solver * (experiment_.checkpoint.keep_last + experiment_.checkpoint.keep_best)};
  }

  std::vector<std::string> backends() const override { return solver_->backends(); }
  void summarise(run::Summary& summary) const override {
    summary.nash_conv = result_.nash_conv;
    summary.exploitability = result_.exploitability;
  }
  std::string parameters_sha256() const override { return plans_sha256(solver_->plans()); }
  std::vector<std::pair<std::string, boost::json::object>> files() const override {
    std::vector<std::pair<std::string, boost::json::object>> out;
    out.emplace_back("strategy.json",
                     strategy_json(experiment_.env.id, game_.form, solver_->plans(), solver_->iterations()));
    if (auto picture = solver_->empirical_game(); !picture.empty())
      out.emplace_back("empirical_game.json", std::move(picture));
    return out;
  }

  const char* section() const override { return "solver"; }
  void save(ByteWriter& writer) const override { solver_->save(writer); }
  void load(ByteReader& reader) override {
    solver_->load(reader);
    if (solver_->iterations() > 0) result_ = solver_->result();
  }

 private:
  const config::Experiment& experiment_;
  game::SeenGame game_;
  std::unique_ptr<Solver> solver_;
  game::Exploitability result_;  ///< of the newest metrics line
};

train::MakeIterated making(const train::Host& host, const config::Experiment& experiment) {
  return [&host, &experiment] { return std::make_unique<Solving>(host, experiment); };
}

}  // namespace

bool is_logged(uint64_t iteration) {
  uint64_t every = 1;
  while (iteration > 1'000 * every) every *= 10;
  return iteration % every == 0;
}

train::Estimate rehearse(const train::Host& host, const config::Experiment& experiment) {
  return Solving(host, experiment).needs();
}

train::SessionResult start(const train::Host& host, const config::Experiment& experiment,
                           const run::RunDirectory& directory, const std::vector<std::string>& arguments,
                           train::Observer& observer) {
  return train::begin_iterating(making(host, experiment), host, experiment, directory, arguments, observer);
}

train::SessionResult resume(const train::Host& host, const config::Experiment& experiment,
                            const run::RunDirectory& directory, const train::ResumeRequest& request,
                            train::Observer& observer) {
  if (request.recorded)
    throw Error("E0508", Exit::usage, "the settings of a run that solves a game cannot be changed on its way")
        .help("start a new run with them: spar train");
  return train::continue_iterating(making(host, experiment), host, experiment, directory, request, observer);
}

}  // namespace spar::solve
