#include "spar/plugin.hpp"

#include "dqn.hpp"

SPAR_PLUGIN("org.spar.dqn", "1.0.0", dqn::Dqn)
