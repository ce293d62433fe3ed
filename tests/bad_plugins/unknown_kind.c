/* A component of a kind that a later ABI may bring, beside an environment. */
#include "fixture.h"

SPAR_DEFINE_NOTE(
    "{\"id\":\"org.spar.test.UnknownKind\",\"version\":\"1.0.0\",\"components\":["
    "{\"kind\":\"meta_solver\",\"id\":\"org.spar.test.nash\"},"
    "{\"kind\":\"environment\",\"id\":\"org.spar.test/UnknownKind\"}]}");

static const spar_component solver = {
    sizeof(spar_component), 77, "org.spar.test.nash", "1.0.0", "Nash", "Solves nothing.", NULL, 0, 0, NULL};
FIXTURE_ENV(environment, "org.spar.test/UnknownKind");
static const spar_component* const components[] = {&solver, &environment};
static const spar_plugin plugin = {sizeof(spar_plugin),
                                   SPAR_ABI_VERSION,
                                   "org.spar.test.UnknownKind",
                                   "1.0.0",
                                   "spar",
                                   "MIT",
                                   NULL,
                                   NULL,
                                   components,
                                   2,
                                   0};
FIXTURE_ENTRY(&plugin)
