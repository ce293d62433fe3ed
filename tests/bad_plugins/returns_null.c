/* Refuses every host. */
#include "fixture.h"

SPAR_DEFINE_NOTE(
    "{\"id\":\"org.spar.test.ReturnsNull\",\"version\":\"1.0.0\","
    "\"components\":[{\"kind\":\"environment\",\"id\":\"org.spar.test/ReturnsNull\"}]}");

const spar_plugin* spar_plugin_entry_v1(uint32_t host_abi_version) {
  (void)host_abi_version;
  (void)fixture_env;
  return NULL;
}
