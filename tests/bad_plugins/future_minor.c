/* Built for ABI 1.7, whose structs have grown at the end, and whose note has a new key. */
#include "fixture.h"

FIXTURE_NOTE((1u << 16) | 7u,
             "{\"id\":\"org.spar.test.FutureMinor\",\"version\":\"1.0.0\",\"colour\":{\"new\":[1,2]},"
             "\"components\":[{\"kind\":\"environment\",\"id\":\"org.spar.test/FutureMinor\"}]}");

typedef struct grown_param {
  spar_param v1;
  const char* unit;
} grown_param;
typedef struct grown_component {
  spar_component v1;
  const void* more;
} grown_component;
typedef struct grown_plugin {
  spar_plugin v1;
  uint64_t more[4];
} grown_plugin;

static const grown_param gravity = {
    {sizeof(grown_param), SPAR_T_REAL, "gravity", "of this world", "9.81", NAN, NAN, NULL, 0, 0}, "m/s^2"};
static const spar_param* const params[] = {&gravity.v1};
static const grown_component environment = {{sizeof(grown_component), SPAR_KIND_ENV, "org.spar.test/FutureMinor",
                                             "1.0.0", "Grown", "Does nothing.", params, 1, 0, &fixture_env},
                                            NULL};
static const spar_component* const components[] = {&environment.v1};
static const grown_plugin plugin = {{sizeof(grown_plugin), (1u << 16) | 7u, "org.spar.test.FutureMinor", "1.0.0",
                                     "spar", "MIT", NULL, NULL, components, 1, 0},
                                    {0}};
FIXTURE_ENTRY(&plugin.v1)
