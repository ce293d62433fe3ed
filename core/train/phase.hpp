// One learner that learns from a worker until conditions hold: a response of PSRO, a phase of a league.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/config/experiment.hpp"
#include "core/params/store.hpp"
#include "core/rollout/worker.hpp"
#include "core/train/budget.hpp"
#include "core/train/metrics.hpp"
#include "core/train/strategy.hpp"

namespace spar::train {

/// What a learner has done since it began, over all its phases.
struct Practice {
  uint64_t env_steps = 0, train_steps = 0, episodes = 0;
  std::vector<double> recent_returns;
};

/// The group of `strategy` that plays `agent` alone. Throws E0308 if several agents learn together in a group, which
/// `alone` and `help` say why not and what to do, or if its actors run beside their learners, which `who` cannot have.
uint32_t group_alone(const Strategy& strategy, uint32_t agent, const std::string& who, const std::string& alone,
                     const std::string& help);

/// All references outlive it.
struct TrainingPhase {
  const config::StopConfig& until;  ///< counted from where `practice` stands when it begins
  Strategy& strategy;
  uint32_t group;  ///< of the strategy
  rollout::Learner& learner;
  rollout::Worker& worker;
  params::Store& params;  ///< where the strategy's pushes go
  Metrics& metrics;
  Budget& budget;
  Practice& practice;
  size_t agent;  ///< whose episodes are the learner's

  std::function<void(const rollout::Episode&)> finished = {};  ///< every episode that ends, by agent
  std::function<void()> learnt = {};                           ///< its networks are others than before
  std::function<bool()> enough = {};                           ///< the phase ends early

  /// Starts the worker's copies with `first_seed` and trains. False if `cancelled` said true. Throws E0302 if a metric
  /// or a network is not finite.
  bool run(uint64_t first_seed, const std::function<bool()>& cancelled);

 private:
  uint64_t follow();
  void collect(uint64_t wanted, uint64_t begun);
  void check_finite() const;
};

}  // namespace spar::train
