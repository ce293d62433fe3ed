/* The contract between host and plugin: plain C (C99 and later, C++11 and later), no allocation, no library calls.
 *
 * Thread tags, by concurrency and not by operating-system thread:
 *   [scan]    no host exists yet: no threads, no LibTorch call, nothing but the plugin's own static tables
 *   [ctl]     control calls of one instance; nothing else runs on that instance
 *   [serial]  any host thread, never two calls on one instance at once
 *   [any]     thread-safe and re-entrant
 *
 * Ownership: pointers passed in are borrowed for the call. Pointers stored in an out-struct live until destroy() of the
 * instance unless the comment names a release function. Nobody frees memory of the other side, and no exception
 * crosses.
 *
 * Sizes: every struct that may grow starts with struct_size.
 *   in-structs:  the producer writes struct_size, the consumer never reads past it (SPAR_HAS).
 *   out-structs: the caller zeroes it and writes struct_size, the callee never writes past it (SPAR_STORE).
 *
 * Growth: within ABI major 1 fields are only appended, ids only added, and everything added is optional. A plugin that
 * cannot live without something newer lists it in its note and is refused by name before it is loaded. */
#ifndef SPAR_ABI_H
#define SPAR_ABI_H

#include "spar/abi/algorithm.h"
#include "spar/abi/backend.h"
#include "spar/abi/environment.h"
#include "spar/abi/lock.h"
#include "spar/abi/losses.h"
#include "spar/abi/nn.h"
#include "spar/abi/plugin.h"
#include "spar/abi/services.h"
#include "spar/abi/strategy.h"
#include "spar/abi/types.h"

#endif
