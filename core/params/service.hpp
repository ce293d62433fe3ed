// spar.params/1 over `spar_ctx::params`.
#pragma once

#include "spar/abi.h"

namespace spar::params {

const spar_svc_params& params_service();

}  // namespace spar::params
