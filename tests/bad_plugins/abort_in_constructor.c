/* Aborts while it is loaded. */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

__attribute__((constructor)) static void start(void) {
  fputs("assertion failed: the stars are right\n", stderr);
  abort();
}
FIXTURE_WHOLE("Abort")
