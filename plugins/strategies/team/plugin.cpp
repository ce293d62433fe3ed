#include "spar/plugin.hpp"

#include "team.hpp"

SPAR_PLUGIN("org.spar.team", "1.0.0", team::Team)
