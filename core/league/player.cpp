#include "core/league/player.hpp"

#include "core/base/error.hpp"

namespace spar::league {
namespace {

/// Schedules of a main agent span the run, if its length is known; those of an exploiter a phase, because it may start
/// anew after each.
std::optional<uint64_t> budget_of(const config::Experiment& experiment, Kind kind) {
  const auto phase = experiment.solve.training.budget();
  if (!phase || kind != Kind::main_agent) return phase;
  return *phase * experiment.stop.iterations().value_or(1);
}

}  // namespace

ActivePlayer::ActivePlayer(const Arena& arena, params::Store& players, Kind kind, uint64_t number,
                           const std::string& name)
    : arena_(arena), players_(players), kind_(kind), number_(number), name_(name) {
  make();
  players_.publish(start_key(), learner_->named_tensors());
}

/// The first learner has the stream of the run's seed, each later one a stream of its own.
void ActivePlayer::make() {
  const uint64_t run = arena_.experiment().seed;
  const std::string start = "start/" + std::to_string(starts_) + "/" + name_;
  const uint64_t seed = starts_ == 0 ? run : Philox(run, start).bits();
  learner_.reset();
  practice_ = {};
  params_ = std::make_unique<params::Store>();
  budget_ = std::make_unique<train::Budget>(budget_of(arena_.experiment(), kind_));
  metrics_ = std::make_unique<train::Metrics>();
  strategy_ = arena_.strategy(seed);
  rollout::LearnerSetup setup = arena_.setup("learner/" + name_, seed);
  setup.params = params_.get();
  setup.metrics = metrics_.get();
  setup.budget = budget_.get();
  learner_ = std::make_unique<rollout::Learner>(setup);
}

void ActivePlayer::start_anew() {
  ++starts_;
  make();
  learner_->set_named_tensors(players_.fetch(start_key())->tensors);
}

train::TrainingPhase ActivePlayer::phase(rollout::Worker& worker) {
  return {arena_.experiment().solve.training,
          *strategy_,
          arena_.group(),
          *learner_,
          worker,
          *params_,
          *metrics_,
          *budget_,
          practice_,
          0};
}

void ActivePlayer::save(ByteWriter& writer) const {
  writer.put(starts_);
  learner_->save(writer);
  strategy_->save(writer);
  params_->save(writer);
  writer.put(practice_.env_steps);
  writer.put(practice_.train_steps);
  writer.put(practice_.episodes);
  writer.array<double>(practice_.recent_returns);
}

void ActivePlayer::load(ByteReader& reader) {
  starts_ = reader.get<uint64_t>();
  make();
  learner_->load(reader);
  strategy_->load(reader);
  params_->load(reader);
  practice_.env_steps = reader.get<uint64_t>();
  practice_.train_steps = reader.get<uint64_t>();
  practice_.episodes = reader.get<uint64_t>();
  practice_.recent_returns = reader.vector<double>();
  budget_->advance_to(practice_.env_steps);
}

}  // namespace spar::league
