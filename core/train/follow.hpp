// Following a strategy: what a training loop and an embedded agent do between two transitions.
#pragma once

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/train/strategy.hpp"

namespace spar::train {

/// Training episodes whose mean return a strategy and an observer are told.
inline constexpr size_t kRecentReturns = 100;

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
