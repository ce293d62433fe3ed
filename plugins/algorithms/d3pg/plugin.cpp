#include "spar/plugin.hpp"

#include "d3pg.hpp"

SPAR_PLUGIN("org.spar.d3pg", "1.0.0", d3pg::D3pg)
