// The sections that say how long, how often and how well: [stop], [eval], [checkpoint] and [threshold].
#pragma once

#include "core/config/experiment.hpp"
#include "core/config/section.hpp"

namespace spar::config {

StopConfig read_stop(Section section, bool solves);
EvalConfig read_eval(Section section, std::optional<uint64_t> budget);
CheckpointConfig read_checkpoint(Section section);
std::vector<Threshold> read_thresholds(Section section);

}  // namespace spar::config
