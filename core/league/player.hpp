// A player of a league that trains: a learner, the strategy that says when it learns, and what it has done.
#pragma once

#include <memory>
#include <string>

#include "core/league/frozen.hpp"
#include "core/league/matchmaking.hpp"
#include "core/train/phase.hpp"

namespace spar::league {

class ActivePlayer {
 public:
  /// Number `number` of the league. Its parameters begin as those of the learner `name` of the run's seed, and those it
  /// keeps in `players`, under NAME/start. References outlive it.
  ActivePlayer(const Arena& arena, params::Store& players, Kind kind, uint64_t number, const std::string& name);

  const std::string& name() const { return name_; }
  Kind kind() const { return kind_; }
  uint64_t number() const { return number_; }
  rollout::Learner& learner() { return *learner_; }
  const rollout::Learner& learner() const { return *learner_; }
  const train::Practice& practice() const { return practice_; }
  train::Metrics& metrics() { return *metrics_; }

  /// One phase in the copies of `worker`, whose learner this is.
  train::TrainingPhase phase(rollout::Worker& worker);

  /// Its starting parameters again, with an empty memory: another learner, whose practice begins anew.
  void start_anew();

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  void make();
  std::string start_key() const { return name_ + "/start"; }

  const Arena& arena_;
  params::Store& players_;
  Kind kind_;
  uint64_t number_;
  std::string name_;
  uint64_t starts_ = 0;                    ///< how often it started anew
  std::unique_ptr<params::Store> params_;  ///< what the strategy pushes, and for parallel actors
  std::unique_ptr<train::Strategy> strategy_;
  std::unique_ptr<train::Budget> budget_;
  std::unique_ptr<train::Metrics> metrics_;
  std::unique_ptr<rollout::Learner> learner_;
  train::Practice practice_;
};

}  // namespace spar::league
