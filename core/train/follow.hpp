// Following a strategy: what a training loop and an embedded agent do between two transitions.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/rollout/learner.hpp"
#include "core/run/statistics.hpp"
#include "core/train/strategy.hpp"

namespace spar::train {

/// Training episodes whose mean return a strategy and an observer are told.
inline constexpr size_t kRecentReturns = 100;

/// The remedy of E0302.
inline constexpr const char* kDivergedHelp = "a smaller lr, a smaller max_grad_norm or scaled rewards usually help";

inline void remember_return(std::vector<double>& recent, double episode_return) {
  if (recent.size() == kRecentReturns) recent.erase(recent.begin());
  recent.push_back(episode_return);
}

/// What a strategy is told of a group that has one learner. `version`: of what it has published.
inline spar_progress standing_of(uint32_t group, const rollout::Learner& learner, uint64_t env_steps,
                                 uint64_t learn_steps, uint64_t version, const std::vector<double>& recent) {
  spar_progress progress{};
  progress.struct_size = sizeof progress;
  progress.group = group;
  progress.env_steps = env_steps;
  progress.learn_steps = progress.slowest_learn_steps = learn_steps;
  progress.buffer_rows = learner.buffer_rows();
  progress.param_version = progress.store_version = version;
  progress.mean_return = recent.empty() ? 0.0 : run::mean(recent);
  progress.needs = &learner.needs();
  return progress;
}

/// For those who cannot act while they learn. Throws E0308.
inline void refuse_beside(const Strategy& strategy, const std::string& who) {
  if (!strategy.beside()) return;
  throw Error("E0308", Exit::usage,
              strategy.label() + " lets actors run beside the learners, and " + who + " takes turns with its learning")
      .help(strategy.decoupled() ? "set `mode` of the strategy to \"bsp\"" : "leave `overlap` of the strategy out");
}

/// For those who have one learner in each group. Throws E0308.
inline void refuse_workers(const Strategy& strategy, const std::string& who) {
  for (const Strategy::Group& group : strategy.groups()) {
    if (group.learners == 1) continue;
    throw Error("E0308", Exit::usage,
                strategy.label() + " plans " + std::to_string(group.learners) + " learners for the group `" +
                    group.name + "`, and " + who + " has one")
        .help("set `learners` of the strategy to 1");
  }
}

/// Asks `strategy` what its group does next and does it, until it wants data; returns how many transitions, 0 = it
/// wants to stop. standing() answers a spar_progress, learn(times) makes updates, push() publishes the parameters.
/// Throws E0309. A template, so that nothing is allocated.
template <class Standing, class Learn, class Push>
uint64_t follow(Strategy& strategy, const std::string& group, Standing&& standing, Learn&& learn, Push&& push) {
  for (;;) {
    const spar_directive directive = strategy.next(standing());
    switch (directive.what) {
      case SPAR_DO_COLLECT:
        return std::max<uint64_t>(1, directive.amount);
      case SPAR_DO_LEARN:
        learn(directive.amount);
        break;
      case SPAR_DO_PUSH:
        push();
        break;
      case SPAR_DO_PULL:
        break;  // one process, one set of networks: what was pushed is what acts
      case SPAR_DO_STOP:
        return 0;
      default:
        throw Error(
            "E0309", Exit::crash,
            "the strategy gave the group `" + group + "` the unknown directive " + std::to_string(directive.what));
    }
  }
}

}  // namespace spar::train
