// Errors of networks. The code says what kind it is, for people (see `spar explain`) and for the border, which turns it
// into a spar_status:
//   E0601  an argument, a key or a shape is wrong     SPAR_E_INVALID
//   E0602  right, but not offered                     SPAR_E_UNSUPPORTED
//   E0603  not allowed now                            SPAR_E_STATE
//   E0502  a checkpoint holds other networks          (no border: checkpoints are the host's)
#pragma once

#include <string>

#include "core/base/error.hpp"

namespace spar::nn {

inline Error invalid(const std::string& message) { return Error("E0601", Exit::failed, message); }
inline Error not_offered(const std::string& message) { return Error("E0602", Exit::failed, message); }
inline Error not_now(const std::string& message) { return Error("E0603", Exit::failed, message); }

}  // namespace spar::nn
