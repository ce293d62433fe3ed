/* A shared library with the right entry, but without a note. */
#include "fixture.h"

FIXTURE_ENV(environment, "org.spar.test/NoNote");
FIXTURE_PLUGIN("org.spar.test.NoNote", "1.0.0", environment);
FIXTURE_ENTRY(&fixture_plugin)
