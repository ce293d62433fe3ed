#include "core/league/arena.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/train/equilibrium.hpp"
#include "core/train/phase.hpp"
#include "core/train/training.hpp"

namespace spar::league {

double score(double own, double other) {
  constexpr double kRounding = 1e-6;
  if (own > other + kRounding) return 1;
  return own < other - kRounding ? 0 : 0.5;
}

Arena::Arena(const config::Experiment& experiment, rollout::ComponentLoader load, const spar_host& host)
    : experiment_(experiment),
      load_(std::move(load)),
      host_(host),
      env_options_(experiment.env.options),
      algorithm_options_(experiment.algorithm.options),
      strategy_options_(experiment.strategy.options),
      sample_(environment(1, experiment.seed, "environment")) {
  check_world(*sample_);
  seating_ = std::make_unique<Seating>(*sample_, Philox(experiment.seed, "seats"));
  check_algorithm();
  group_ = train::group_alone(*strategy(experiment.seed), 0, "a league",
                              "every player of a league learns alone, at whichever seat it has",
                              "use the strategy independent");
  try_out();
  if (experiment.league.play == "greedy") compile();
}

void Arena::try_out() {
  params::Store params;
  train::Metrics metrics;
  const train::Budget budget(experiment_.solve.training.budget());
  rollout::LearnerSetup wanted = setup("learner/trial", experiment_.seed);
  wanted.params = &params;
  wanted.metrics = &metrics;
  wanted.budget = &budget;
  const rollout::Learner learner(wanted);
  transform_ = learner.transforms().observation;
  backends_ = learner.networks().backends();
  learner_bytes_ = learner.memory_bytes();
  saved_bytes_ = learner.saved_bytes();
  const rollout::Actor actor(setup("trial", experiment_.seed), 0, 1);
  for (const auto& [network, unused] : actor.networks().networks()) acting_networks_.push_back(network);
}

/// A past player is a set of parameters.
void Arena::check_algorithm() const {
  const spar_component& algorithm = load_(SPAR_KIND_ALGO, experiment_.algorithm.id);
  if (static_cast<const spar_algo_vtbl*>(algorithm.vtbl)->flags & SPAR_ALGO_HOSTED_NETWORKS) return;
  throw Error("E1109", Exit::usage,
              std::string("algorithm `") + algorithm.id +
                  "` keeps what it learns outside the host's networks (SPAR_ALGO_HOSTED_NETWORKS is not set), expected "
                  "one whose past parameters can play on")
      .help("choose another algorithm, e.g. ppo or dqn");
}

void Arena::compile() {
  const spar_component& component = load_(SPAR_KIND_ENV, experiment_.env.id);
  auto seen = train::judged_game(*sample_, host_, component, *env_options_.get());
  if (!seen) return;
  game::Position position(host_, component, *env_options_.get());
  const auto worth = [](const std::vector<double>& returns) {
    return std::vector<double>{score(returns[0], returns[1]) - 0.5, score(returns[1], returns[0]) - 0.5};
  };
  exact_ = std::make_unique<ExactGame>(
      ExactGame{std::move(*seen), game::compile(position, train::kJudgedHistories, {}, worth)});
}

std::unique_ptr<rollout::Environment> Arena::environment(uint64_t copies, uint64_t root_seed,
                                                         const std::string& stream) const {
  const uint64_t shards = std::min<uint64_t>(copies, experiment_.env.shards);
  return std::make_unique<rollout::Environment>(host_, load_(SPAR_KIND_ENV, experiment_.env.id), *env_options_.get(),
                                                copies, root_seed, stream, rollout::Shards{shards, nullptr});
}

std::unique_ptr<train::Strategy> Arena::strategy(uint64_t root_seed) const {
  return std::make_unique<train::Strategy>(host_, load_(SPAR_KIND_STRATEGY, experiment_.strategy.id),
                                           *strategy_options_.get(), sample_->world(), root_seed);
}

rollout::LearnerSetup Arena::setup(std::string name, uint64_t root_seed) const {
  rollout::LearnerSetup out;
  out.name = std::move(name);
  out.host = &host_;
  out.component = &load_(SPAR_KIND_ALGO, experiment_.algorithm.id);
  out.load = load_;
  out.config = algorithm_options_.get();
  out.agent = &port();
  out.lanes = experiment_.env.count;
  out.max_rows = out.lanes;
  out.root_seed = root_seed;
  return out;
}

}  // namespace spar::league
