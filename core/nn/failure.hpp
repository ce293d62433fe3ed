// Errors of networks. The code says what kind it is, for people (see `spar explain`) and for the border, which turns it
// into a spar_status:
//   E0401  an argument, a key or a shape is wrong     SPAR_E_INVALID
//   E0402  right, but not offered                     SPAR_E_UNSUPPORTED
//   E0403  not allowed now                            SPAR_E_STATE
//   E0502  a checkpoint holds other networks          (no border: checkpoints are the host's)
#pragma once

#include <string>

#include "core/base/error.hpp"

namespace spar::nn {

inline Error invalid(const std::string& message) { return Error("E0401", Exit::failed, message); }
inline Error not_offered(const std::string& message) { return Error("E0402", Exit::failed, message); }
inline Error not_now(const std::string& message) { return Error("E0403", Exit::failed, message); }

}  // namespace spar::nn
