// spar.buffer/1 as algorithms see it: the replay module's table, with the learner's transforms applied to every sample.
#pragma once

#include "spar/abi.h"

namespace spar::rollout {

const spar_svc_buffer& sampling_service();

}  // namespace spar::rollout
