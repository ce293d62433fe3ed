// spar.nn/1 as plugins see it.
#pragma once

#include "spar/abi/nn.h"

namespace spar::nn {

/// The table lives as long as the program. Its functions find the networks of an instance in spar_ctx::networks and
/// never throw: what goes wrong becomes a status and a sentence.
const spar_svc_nn& nn_service();

}  // namespace spar::nn
