/* Ends the process while it is loaded. */
#include <stdlib.h>

#include "fixture.h"

__attribute__((constructor)) static void start(void) { exit(FIXTURE_CODE); }
FIXTURE_WHOLE(FIXTURE_NAME)
