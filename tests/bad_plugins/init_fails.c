/* Described without trouble, but init() fails; its message would turn a terminal red. */
#include "fixture.h"

SPAR_DEFINE_NOTE(FIXTURE_NOTE_TEXT("InitFails"));

static spar_status init(const spar_host* host, spar_error* error) {
  (void)host;
  strcpy(error->message, "\x1b[31mno licence was found\x1b[0m");
  return SPAR_E_IO;
}
FIXTURE_ENV(environment, "org.spar.test/InitFails");
static const spar_component* const components[] = {&environment};
static const spar_plugin plugin = {sizeof(spar_plugin),
                                   SPAR_ABI_VERSION,
                                   "org.spar.test.InitFails",
                                   "1.0.0",
                                   "spar",
                                   "MIT",
                                   init,
                                   NULL,
                                   components,
                                   1,
                                   0};
FIXTURE_ENTRY(&plugin)
