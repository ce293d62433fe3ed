// Errors of networks. The code says what kind it is, for people (see `spar explain`) and for the border, which turns it
// into a spar_status:
//   E0901  an argument, a key or a shape is wrong     SPAR_E_INVALID
//   E0902  right, but not offered                     SPAR_E_UNSUPPORTED
//   E0903  not allowed now                            SPAR_E_STATE
//   E0904  a backend failed                           SPAR_E_INTERNAL
//   E0502  a checkpoint holds other networks          (no border: checkpoints are the host's)
#pragma once

#include <string>

#include "core/base/error.hpp"

namespace spar::nn {

inline Error invalid(const std::string& message) { return Error("E0901", Exit::failed, message); }
inline Error not_offered(const std::string& message) { return Error("E0902", Exit::failed, message); }
inline Error not_now(const std::string& message) { return Error("E0903", Exit::failed, message); }
inline Error backend_failed(const std::string& message) { return Error("E0904", Exit::failed, message); }

}  // namespace spar::nn
