/* The descriptor has another version than the note. */
#include "fixture.h"

SPAR_DEFINE_NOTE(FIXTURE_NOTE_TEXT("NoteMismatch"));
FIXTURE_ENV(environment, "org.spar.test/NoteMismatch");
FIXTURE_PLUGIN("org.spar.test.NoteMismatch", "1.0.1", environment);
FIXTURE_ENTRY(&fixture_plugin)
