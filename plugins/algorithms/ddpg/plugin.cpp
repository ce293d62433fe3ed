#include "spar/plugin.hpp"

#include "ddpg.hpp"

SPAR_PLUGIN("org.spar.ddpg", "1.0.0", ddpg::Ddpg)
