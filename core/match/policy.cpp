#include "core/match/policy.hpp"

#include "core/game/mixture_opponent.hpp"
#include "core/league/session.hpp"
#include "core/rollout/players.hpp"
#include "core/solve/strategies.hpp"
#include "core/train/continuing.hpp"
#include "core/train/training.hpp"

namespace spar::match {
namespace {

class Uniform : public Policy {
 public:
  std::unique_ptr<rollout::Opponent> sit(const rollout::Environment& environment, size_t agent,
                                         Philox random) override {
    return std::make_unique<rollout::UniformPlayer>(environment, agent, random);
  }
  game::Plan plan(const game::SeenGame& game, size_t player) override {
    const game::Player& who = game.form.players[player];
    return game::to_plan(who, game::uniform(who));
  }
};

/// Of a run that has learners.
class Learnt : public Policy {
 public:
  Learnt(const train::Host& host, const config::Experiment& experiment, const run::RunDirectory& directory,
         const std::string& checkpoint)
      : experiment_(experiment) {
    experiment_.eval.episodes = train::kEvaluationCopies;  // so many rows its learners can be asked about
    const auto saved = train::checkpoint_named(train::checkpoints(experiment_, directory), checkpoint);
    training_ = std::make_unique<train::Training>(experiment_, train::loader_in(host.registry), *host.table.host());
    for (const auto& group : training_->strategy->groups()) {
      if (group.join != SPAR_JOIN_JOINT) continue;
      throw Error("E0412", Exit::usage,
                  "the run `" + directory.path().string() + "` plays the agents of the group `" + group.name +
                      "` as one, expected a policy for every agent")
          .help("name runs that were not trained with mode = \"joint\"");
    }
    training_->restore_policies(saved);
    by_agent_ = train::learners_by_agent(*training_);
    step_ = saved.step;
  }

  std::unique_ptr<rollout::Opponent> sit(const rollout::Environment& environment, size_t agent,
                                         Philox /*random*/) override {
    return std::make_unique<rollout::GreedyPlayer>(*by_agent_[agent], environment.agents()[agent],
                                                   environment.copies());
  }
  game::Plan plan(const game::SeenGame& game, size_t player) override {
    const game::Player& who = game.form.players[player];
    return game::dense(who, game::pure(who, game::greedy_choices(who, game.views[player], *by_agent_[player])));
  }
  uint64_t step() const override { return step_; }

 private:
  config::Experiment experiment_;
  std::unique_ptr<train::Training> training_;
  std::vector<rollout::Learner*> by_agent_;
  uint64_t step_ = 0;
};

/// Of a run that solves a game.
class Solved : public Policy {
 public:
  explicit Solved(solve::Strategies strategies) : strategies_(std::move(strategies)) {
    for (const game::Player& player : strategies_.form.players) index_.push_back(game::index_of(player));
  }

  std::unique_ptr<rollout::Opponent> sit(const rollout::Environment& environment, size_t agent,
                                         Philox random) override {
    const game::Population& population = strategies_.populations[agent];
    return std::make_unique<game::MixtureOpponent>(strategies_.form.players[agent], index_[agent], agent,
                                                   population.strategies, population.mixture, environment, random);
  }
  game::Plan plan(const game::SeenGame& /*game*/, size_t player) override {
    const game::Population& population = strategies_.populations[player];
    return game::mix(strategies_.form.players[player], population.strategies, population.mixture);
  }
  uint64_t step() const override { return strategies_.iteration; }

 private:
  solve::Strategies strategies_;
  std::vector<game::InfosetIndex> index_;  ///< by player
};

/// Of a league: the newest self of its first main agent.
class OfLeague : public Policy {
 public:
  OfLeague(const train::Host& host, const config::Experiment& experiment, const run::RunDirectory& directory,
           const std::string& checkpoint)
      : experiment_(experiment), main_agent_(league::main_agent_of_run(host, experiment_, directory, checkpoint)) {}

  std::unique_ptr<rollout::Opponent> sit(const rollout::Environment& environment, size_t agent,
                                         Philox /*random*/) override {
    return std::make_unique<rollout::SeatedPlayer>(main_agent_.name, greedily(), environment.agents()[agent],
                                                   environment.copies());
  }
  game::Plan plan(const game::SeenGame& game, size_t player) override {
    const game::Player& who = game.form.players[player];
    return game::dense(who, game::pure(who, game::choices(who, game.views[player], main_agent_.arena->port(),
                                                          greedily(), main_agent_.name)));
  }
  uint64_t step() const override { return main_agent_.iteration; }

 private:
  rollout::ActRows greedily() {
    return [this](rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane) {
      main_agent_.policy->act_greedily(seen, actions, rows, lane);
    };
  }

  config::Experiment experiment_;
  league::MainAgent main_agent_;
};

}  // namespace

std::unique_ptr<Policy> uniform_policy() { return std::make_unique<Uniform>(); }

std::unique_ptr<Policy> policy_of_run(const train::Host& host, const config::Experiment& experiment,
                                      const run::RunDirectory& directory, const std::string& checkpoint) {
  const std::string last = checkpoint == "best" ? "last" : checkpoint;
  if (experiment.is_league()) return std::make_unique<OfLeague>(host, experiment, directory, last);
  if (!experiment.solves()) return std::make_unique<Learnt>(host, experiment, directory, checkpoint);
  return std::make_unique<Solved>(solve::strategies_of_run(host, experiment, directory, last));
}

}  // namespace spar::match
