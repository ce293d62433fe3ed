/* Never returns from its entry. */
#include <unistd.h>

#include "fixture.h"

SPAR_DEFINE_NOTE(FIXTURE_NOTE_TEXT("Hang"));
FIXTURE_ENV(environment, "org.spar.test/Hang");
FIXTURE_PLUGIN("org.spar.test.Hang", "1.0.0", environment);

const spar_plugin* spar_plugin_entry_v1(uint32_t host_abi_version) {
  while (host_abi_version != 0) sleep(1);
  return &fixture_plugin;
}
