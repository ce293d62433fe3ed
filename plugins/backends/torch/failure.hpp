// What LibTorch throws, in one line.
#pragma once

#include <exception>
#include <string>

namespace torch_backend {

/// The first line; of an error inside TorchScript the last one, for a listing of the module's code stands before it.
/// Without the place in LibTorch's sources and without the trace of its calls.
std::string essence(const std::exception& error);

}  // namespace torch_backend
