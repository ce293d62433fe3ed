#include "spar/plugin.hpp"

#include "sac.hpp"

SPAR_PLUGIN("org.spar.sac", "1.0.0", sac::Sac)
