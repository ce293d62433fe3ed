// Signals that end a run: Ctrl-C saves and stops, once more quits; SIGTERM, SIGUSR1 and SIGHUP save and yield the
// machine.
#pragma once

#include "core/train/observer.hpp"

namespace spar::host {

/// From now on signals are noted instead of ending the process. A second SIGINT that is not heeded within 150 ms ends
/// the process with exit code 130; what was saved before stays.
void heed_signals();

/// What the signals so far ask for.
train::Interruption interruption();

}  // namespace spar::host
