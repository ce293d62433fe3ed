/* Calls a function that no library has. */
#include "fixture.h"

int function_of_nobody(void);

FIXTURE_ENV(fixture_component, "org.spar.test/MissingSymbol");
FIXTURE_PLUGIN("org.spar.test.MissingSymbol", "1.0.0", fixture_component);
SPAR_DEFINE_NOTE(FIXTURE_NOTE_TEXT("MissingSymbol"));
FIXTURE_ENTRY(function_of_nobody() ? &fixture_plugin : NULL)
