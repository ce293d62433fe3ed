#include "spar/plugin.hpp"

#include "d4pg.hpp"

SPAR_PLUGIN("org.spar.d4pg", "1.0.0", d4pg::D4pg)
