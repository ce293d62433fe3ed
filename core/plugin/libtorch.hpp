// LibTorch in this process. The program links none; a plugin that does brings one in, and the first one stays: a second
// LibTorch of another version ends the process with exit(1) inside dlopen, and one of the same version is the first.
#pragma once

#include <span>
#include <string>

namespace spar::plugin {

/// Is LibTorch among the libraries (DT_NEEDED) that a plugin needs?
bool needs_libtorch(std::span<const std::string> needed);

/// Called before a plugin is loaded, with its name for messages ("plugin FILE") and its DT_NEEDED. If it needs
/// LibTorch, opens that (now, locally, for ever), so that LibTorch's weak symbols never bind into a plugin, and gives
/// it one thread: training is serial and bit-reproducible. Throws Error with exit code 3: E0126 if the process has
/// another LibTorch, E0127 if it cannot be opened.
void prepare_libtorch(const std::string& place, std::span<const std::string> needed);

}  // namespace spar::plugin
