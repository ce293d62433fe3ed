#include "spar/plugin.hpp"

#include "independent.hpp"

SPAR_PLUGIN("org.spar.independent", "1.0.0", independent::Independent)
