/* Built for ABI 2.3. */
#include "fixture.h"

FIXTURE_NOTE((2u << 16) | 3u, FIXTURE_NOTE_TEXT("FutureMajor"));
FIXTURE_ENV(environment, "org.spar.test/FutureMajor");
FIXTURE_PLUGIN("org.spar.test.FutureMajor", "1.0.0", environment);
FIXTURE_ENTRY(&fixture_plugin)
