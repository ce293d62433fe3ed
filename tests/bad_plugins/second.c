/* Another sound plugin: the order of deinit(). */
#include "fixture.h"

SPAR_DEFINE_NOTE(FIXTURE_NOTE_TEXT("Second"));

typedef struct test_calls {
  uint32_t struct_size, reserved;
  void (*record)(const char* what);
} test_calls;

static const test_calls* calls;

static spar_status init(const spar_host* host, spar_error* error) {
  (void)error;
  calls = (const test_calls*)host->get_service(host, "test.calls/1");
  if (calls) calls->record("second init");
  return SPAR_OK;
}
static void deinit(void) {
  if (calls) calls->record("second deinit");
}

FIXTURE_ENV(environment, "org.spar.test/Second");
static const spar_component* const components[] = {&environment};
static const spar_plugin plugin = {sizeof(spar_plugin),
                                   SPAR_ABI_VERSION,
                                   "org.spar.test.Second",
                                   "1.0.0",
                                   "spar",
                                   "MIT",
                                   init,
                                   deinit,
                                   components,
                                   1,
                                   0};
FIXTURE_ENTRY(&plugin)
