/* The sound plugin with the environment org.spar.test/FIXTURE_NAME: many of them, or the same one twice. FIXTURE_SALT
 * makes another build of the same plugin. */
#include "fixture.h"

const int fixture_salt = FIXTURE_SALT;
FIXTURE_WHOLE(FIXTURE_NAME)
