// Actions on their way from an algorithm to an environment: the one place where [-1,1] becomes the environment's box.
#pragma once

#include "core/rng/philox.hpp"
#include "core/rollout/environment.hpp"

namespace spar::rollout {

/// Adds the column "action" in the algorithm's units: i64 for DISCRETE, f32 for BOX.
void add_action_column(Batch& actions, const Space& action);

/// Fills `actions` (the algorithm's units: [-1,1] for BOX, 0 .. n-1 for DISCRETE) with uniform draws; masks, u8
/// [rows, n] or null: over the allowed ones, of which there is at least one.
void uniform_actions(const Space& action, Batch& actions, uint64_t rows, Philox& random,
                     const uint8_t* masks = nullptr);

/// Copies rows of `actions` into agent.in: BOX values are clamped to [-1,1] and mapped to [low, high] per dimension. A
/// number without both bounds has no such units: it is passed on as it is, but for a clamp to the bound that it has.
/// Row i goes to copy rows_to[i], or to copy i if rows_to is null. Throws E0706 naming `algorithm` on a DISCRETE action
/// outside 0 .. n-1, or one that `masks` (u8 [copies, n], null: all are allowed) forbids, or a BOX action that is not
/// finite.
void send_actions(const Batch& actions, uint64_t rows, const uint64_t* rows_to, AgentPort& agent,
                  const std::string& algorithm, const uint8_t* masks = nullptr);

}  // namespace spar::rollout
