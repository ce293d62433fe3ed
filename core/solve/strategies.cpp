#include "core/solve/strategies.hpp"

#include "core/checkpoint/state.hpp"
#include "core/solve/solver.hpp"
#include "core/train/continuing.hpp"

namespace spar::solve {

Strategies strategies_of_run(const train::Host& host, config::Experiment experiment, const run::RunDirectory& directory,
                             const std::string& which) {
  const checkpoint::Checkpoint saved = train::checkpoint_named(train::checkpoints(experiment, directory), which);
  experiment.solve.oracle = "exact";  // the saved populations are the same, and nobody is to learn
  const config::ConfigView view(experiment.env.options);
  game::Position position(*host.table.host(), host.registry.load(SPAR_KIND_ENV, experiment.env.id), *view.get());
  game::SeenGame game{game::compile(position), {}};
  const auto solver = make_solver(experiment, game, train::loader_in(host.registry), *host.table.host());
  checkpoint::read_state(saved, "solver", [&](ByteReader& reader) { solver->load(reader); });
  if (solver->iterations() == 0) {
    throw Error("E0503", Exit::failed,
                "the checkpoint of `" + directory.path().string() + "` is from before the first iteration")
        .help("continue with: spar resume " + directory.path().string());
  }
  Strategies out;
  out.populations = solver->populations();
  out.iteration = solver->iterations();
  out.form = std::move(game.form);  // the solver looks at it no more
  return out;
}

}  // namespace spar::solve
