// The groups of an experiment on the agents that its environment has, and what the strategy makes of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/experiment.hpp"
#include "core/rollout/backends.hpp"
#include "core/rollout/environment.hpp"
#include "core/train/strategy.hpp"

namespace spar::train {

/// Of [[group]] or of `mapping`, in the order of the experiment; empty where each agent is its own. Throws E0311 with
/// the place in the configuration unless every agent is in exactly one and every pattern matches.
std::vector<MappedGroup> map_agents(const config::Experiment& experiment, const rollout::Environment& environment);

/// The strategy of the experiment, told of its groups. Throws what map_agents() and Strategy throw, with the place of
/// the groups.
std::unique_ptr<Strategy> make_strategy(const config::Experiment& experiment, const rollout::ComponentLoader& load,
                                        const spar_host& host, const rollout::Environment& environment, uint64_t seed);

/// The algorithm that trains a group of the plan.
const config::AlgorithmConfig& algorithm_of(const config::Experiment& experiment, const Strategy::Group& group);

/// `error` of the planned `group`, which has no place, at the place of the [[group]] that it is made of.
Error placed(Error error, const config::Experiment& experiment, const Strategy::Group& group);

}  // namespace spar::train
