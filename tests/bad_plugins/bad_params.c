/* Two parameters of the same name (FIXTURE_TWICE), or one whose default is out of its range. */
#include "fixture.h"

SPAR_DEFINE_NOTE(FIXTURE_NOTE_TEXT(FIXTURE_NAME));

static const spar_param rate = {
    sizeof(spar_param), SPAR_T_REAL, "rate", "a rate", FIXTURE_TWICE ? "0.5" : "1.5", 0, 1, NULL, 0, 0};
static const spar_param* const params[] = {&rate, &rate};
static const spar_component environment = {
    sizeof(spar_component), SPAR_KIND_ENV, "org.spar.test/" FIXTURE_NAME, "1.0.0", "A fixture",
    "Does nothing.",        params,        FIXTURE_TWICE ? 2 : 1,         0,       &fixture_env};
FIXTURE_PLUGIN("org.spar.test." FIXTURE_NAME, "1.0.0", environment);
FIXTURE_ENTRY(&fixture_plugin)
