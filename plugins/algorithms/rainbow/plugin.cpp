#include "spar/plugin.hpp"

#include "rainbow.hpp"

SPAR_PLUGIN("org.spar.rainbow", "1.0.0", rainbow::Rainbow)
