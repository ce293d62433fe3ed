// A precompiled header needs a source of its target to be made for.
#include "support/precompiled.hpp"
