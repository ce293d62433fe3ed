// spar.metrics/1 over `spar_ctx::metrics` and spar.exec/1 over `spar_ctx::budget`.
#pragma once

#include "spar/abi.h"

namespace spar::train {

const spar_svc_metrics& metrics_service();
const spar_svc_exec& exec_service();

}  // namespace spar::train
