// The sections that say how long, how often and how well: [stop], [eval], [checkpoint] and [threshold].
#pragma once

#include "core/config/experiment.hpp"
#include "core/config/section.hpp"

namespace spar::config {

/// `solves`: the conditions are those of runs that go by iterations. `training`, if there is one, is filled from
/// [stop.training]: when one learned response ends, by default after 10,000 transitions, or, for a `league`, a phase,
/// without default.
StopConfig read_stop(Section section, bool solves, StopConfig* training = nullptr, bool league = false);
EvalConfig read_eval(Section section, std::optional<uint64_t> budget);
/// `unit`: what a whole number counts, "environment step" or "iteration".
CheckpointConfig read_checkpoint(Section section, const std::string& unit);
std::vector<Threshold> read_thresholds(Section section);

}  // namespace spar::config
