/* A note, but no entry. */
#include "spar/abi.h"

SPAR_DEFINE_NOTE(
    "{\"id\":\"org.spar.test.NoEntry\",\"version\":\"1.0.0\","
    "\"components\":[{\"kind\":\"environment\",\"id\":\"org.spar.test/NoEntry\"}]}");
