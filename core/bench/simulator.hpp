// An environment that takes its time, as most simulators do: for measurements of what runs at the same time.
#pragma once

#include "core/bench/whole_run.hpp"

namespace spar::bench {

/// Whole runs know the environment `bench/simulator`: CartPole's spaces, about 20 us a step of one copy.
RunOptions with_simulator(Plugins& plugins, uint32_t threads);

}  // namespace spar::bench
