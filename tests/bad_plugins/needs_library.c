/* Links a library that is not there when it is loaded. */
#include "fixture.h"

int spar_fixture_answer(void);
SPAR_DEFINE_NOTE(FIXTURE_NOTE_TEXT(FIXTURE_NAME));
FIXTURE_ENV(environment, "org.spar.test/" FIXTURE_NAME);
FIXTURE_PLUGIN("org.spar.test." FIXTURE_NAME, "1.0.0", environment);
FIXTURE_ENTRY(spar_fixture_answer() == 42 ? &fixture_plugin : NULL)
