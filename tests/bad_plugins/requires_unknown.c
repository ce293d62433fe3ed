/* Needs services that this host does not offer. */
#include "fixture.h"

SPAR_DEFINE_NOTE(
    "{\"id\":\"org.spar.test.RequiresUnknown\",\"version\":\"1.0.0\","
    "\"components\":[{\"kind\":\"environment\",\"id\":\"org.spar.test/RequiresUnknown\"}],"
    "\"requires\":[\"spar.log/1\",\"spar.crystal_ball/3\"]}");
FIXTURE_ENV(environment, "org.spar.test/RequiresUnknown");
FIXTURE_PLUGIN("org.spar.test.RequiresUnknown", "1.0.0", environment);
FIXTURE_ENTRY(&fixture_plugin)
