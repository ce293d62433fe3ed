// spar.buffer/1 for plugins.
#pragma once

#include "spar/abi.h"

namespace spar::replay {

/// The table of functions on spar_ctx::buffer. Nothing throws through it: errors become statuses with their sentence.
/// Releasing a batch twice is ignored.
const spar_svc_buffer& buffer_service();

}  // namespace spar::replay
