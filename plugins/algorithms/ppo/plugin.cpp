#include "spar/plugin.hpp"

#include "ppo.hpp"

SPAR_PLUGIN("org.spar.ppo", "1.0.0", ppo::Ppo)
