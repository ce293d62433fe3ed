// The wrapper is C++17: this file is compiled as such.
#include "walk.hpp"

#include "spar/plugin.hpp"

SPAR_PLUGIN("org.example.walk", "1.0.0", Walk)
