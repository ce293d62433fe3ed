#include "core/solve/learned_oracle.hpp"

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/rollout/worker.hpp"
#include "core/train/follow.hpp"
#include "core/train/groups.hpp"
#include "core/train/phase.hpp"

namespace spar::solve {

/// What one response is learnt with.
struct LearnedOracle::Training {
  Training(const LearnedOracle& oracle, size_t player, uint64_t draws, const game::Psro* psro);

  /// False if cancelled.
  bool run(const std::function<bool()>& cancelled);

  const config::Experiment& experiment;
  const config::StopConfig& until;
  uint64_t seed;
  train::Budget budget;
  train::Metrics metrics;
  params::Store params;
  std::unique_ptr<rollout::Environment> environment;
  std::unique_ptr<train::Strategy> strategy;
  uint32_t group = 0;
  std::unique_ptr<rollout::Learner> learner;
  std::vector<std::unique_ptr<game::MixtureOpponent>> opponents;
  std::unique_ptr<rollout::Worker> worker;
  train::Practice practice;
  size_t agent;
};

/// Without `psro` nobody sits at the other players' seats: to try the learner out.
LearnedOracle::Training::Training(const LearnedOracle& oracle, size_t player, uint64_t draws, const game::Psro* psro)
    : experiment(oracle.experiment_),
      until(oracle.experiment_.solve.training),
      seed(draws),
      budget(until.budget()),
      agent(player) {
  const config::ConfigView env_view(experiment.env.options);
  environment = std::make_unique<rollout::Environment>(oracle.host_, oracle.load_(SPAR_KIND_ENV, experiment.env.id),
                                                       *env_view.get(), experiment.env.count, seed, "environment",
                                                       rollout::Shards{experiment.env.shards, nullptr});
  strategy = train::make_strategy(experiment, oracle.load_, oracle.host_, *environment, seed);
  group = train::group_alone(*strategy, static_cast<uint32_t>(player), "the training of a response",
                             "every response is learnt by one player against the others",
                             experiment.groups.empty() && experiment.mapping == "identity"
                                 ? "use the strategy independent"
                                 : "give each player a [[group]] of its own, or none");

  const config::AlgorithmConfig& algorithm = train::algorithm_of(experiment, strategy->groups()[group]);
  const config::ConfigView algorithm_view(algorithm.options);
  rollout::LearnerSetup setup;
  setup.name = "learner/" + strategy->groups()[group].name;
  setup.host = &oracle.host_;
  setup.component = &oracle.load_(SPAR_KIND_ALGO, algorithm.id);
  setup.load = oracle.load_;
  setup.config = algorithm_view.get();
  setup.agent = &environment->agents()[player];
  setup.lanes = environment->copies();
  setup.max_rows = std::max<uint64_t>(environment->copies(), game::kAskedTogether);
  setup.root_seed = seed;
  setup.params = &params;
  setup.metrics = &metrics;
  setup.budget = &budget;
  learner = std::make_unique<rollout::Learner>(setup);
  if (!psro) return;

  std::vector<rollout::Participant> participants;
  for (size_t p = 0; p < environment->agents().size(); ++p) {
    if (p == player) {
      participants.push_back({learner.get(), nullptr});
      continue;
    }
    const game::Player& other = oracle.game_.form.players[p];
    opponents.push_back(std::make_unique<game::MixtureOpponent>(other, oracle.index_[p], p, psro->populations()[p],
                                                                psro->mixture()[p], *environment,
                                                                Philox(seed, "opponent/" + other.name)));
    participants.push_back({nullptr, opponents.back().get()});
  }
  worker = std::make_unique<rollout::Worker>(*environment, std::move(participants), environment->time_limit(), seed);
}

bool LearnedOracle::Training::run(const std::function<bool()>& cancelled) {
  train::TrainingPhase phase{until, *strategy, group, *learner, *worker, params, metrics, budget, practice, agent};
  return phase.run(seed & 0xffffffff, cancelled);
}

LearnedOracle::LearnedOracle(const config::Experiment& experiment, const rollout::ComponentLoader& load,
                             const spar_host& host, const game::SeenGame& game)
    : experiment_(experiment), load_(load), host_(host), game_(game) {
  std::set<std::string> backends;
  for (size_t p = 0; p < game.form.players.size(); ++p) {
    index_.push_back(game::index_of(game.form.players[p]));
    const Training trial(*this, p, experiment.seed, nullptr);
    for (const std::string& id : trial.learner->networks().backends()) backends.insert(id);
    memory_bytes_ = std::max(memory_bytes_, trial.learner->memory_bytes());
  }
  backends_ = {backends.begin(), backends.end()};
}

std::optional<LearnedOracle::Response> LearnedOracle::respond(size_t player, const game::Psro& psro,
                                                              const std::function<bool()>& cancelled) const {
  const game::Player& who = game_.form.players[player];
  const std::string task = "response/" + std::to_string(psro.iterations()) + "/" + who.name;
  Training training(*this, player, Philox(experiment_.seed, task).bits(), &psro);
  try {
    if (!training.run(cancelled)) return std::nullopt;
  } catch (const Error& error) {
    if (error.code() != "E0302") throw;
    throw Error("E0302", Exit::failed,
                std::string(error.what()) + " while `" + who.name + "` learns its response of iteration " +
                    std::to_string(psro.iterations() + 1))
        .help(train::kDivergedHelp);
  }
  if (training.practice.train_steps == 0) {
    throw Error("E1108", Exit::usage,
                "`" + who.name + "` made no update in its response of iteration " +
                    std::to_string(psro.iterations() + 1) + ": [stop.training] ends after " +
                    std::to_string(training.practice.env_steps) +
                    " transitions, before the algorithm has begun to learn")
        .help("give [stop.training] more env_steps, or the algorithm a shorter warm-up or rollout");
  }
  Response out;
  out.plan = game::pure(who, game::greedy_choices(who, game_.views[player], *training.learner));
  out.metrics.emplace_back(who.name + "/env_steps", static_cast<double>(training.practice.env_steps));
  out.metrics.emplace_back(who.name + "/train_steps", static_cast<double>(training.practice.train_steps));
  for (const auto& [name, value] : training.metrics.drain())
    out.metrics.emplace_back(who.name + "/" + std::string(name), value);
  return out;
}

}  // namespace spar::solve
