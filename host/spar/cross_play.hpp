// `spar eval` of several policies.
#pragma once

#include "core/train/session.hpp"
#include "host/spar/arguments.hpp"
#include "host/spar/terminal.hpp"

namespace spar::host {

/// The word that stands for uniform play where a run could.
inline constexpr const char* kRandom = "random";

/// Plays the policies of all runs that are named, and of `random`, against each other at every seat and prints what
/// they earn. Throws as match::cross_play() and match::policy_of_run().
int eval_several(const train::EvaluationRequest& request, const Arguments& arguments, const Terminal& terminal);

}  // namespace spar::host
