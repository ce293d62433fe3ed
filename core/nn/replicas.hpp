// Networks of equal shape that stand for one: what moves between a master and the replicas of its gradient workers.
#pragma once

#include <span>

#include "core/nn/network.hpp"

namespace spar::nn {

/// The values of `from` become those of `to`.
void copy_values(const Network& from, Network& to);

/// The pending gradients of `from` become those of `to`, which has none; `from` has none afterwards.
void move_gradients(Network& from, Network& to);

/// The mean of the pending gradients of `from`, summed in their order, becomes those of `to`, which has none; `from`
/// have none afterwards.
void average_gradients(std::span<Network* const> from, Network& to);

}  // namespace spar::nn
