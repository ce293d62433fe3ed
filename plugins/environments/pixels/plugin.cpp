#include "spar/plugin.hpp"

#include "catch.hpp"

SPAR_PLUGIN("org.spar.pixels", "1.0.0", spar::pixels::Catch)
