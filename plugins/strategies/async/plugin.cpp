#include "spar/plugin.hpp"

#include "async.hpp"

SPAR_PLUGIN("org.spar.async", "1.0.0", async::Async)
