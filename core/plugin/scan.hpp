// Reading the schemas of a plugin in a process that may crash: both ends of `spar-worker scan FILE`.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "core/config/schema.hpp"
#include "core/plugin/plugin_file.hpp"

namespace spar::plugin {

/// What `spar-worker scan FILE` prints: one JSON document, {"format":1,"components":[..]} or
/// {"format":1,"refused":{"reason":"..","remedy":".."}}.
struct ScanDocument {
  std::string json;
  bool refused = false;
};

/// The child's end: loads the plugin into this process (without init()) and describes it.
ScanDocument describe_plugin(const std::filesystem::path& file);

/// The parent's end: starts `worker` and reads its document. Refused: a plugin that crashes, exits, hangs, prints
/// nonsense, is refused by the child, or describes other components than its note. Throws Error E0124 if the worker
/// cannot be started.
std::variant<std::vector<config::Component>, Refusal> scan_in_child(const std::filesystem::path& worker,
                                                                    const PluginFile& file,
                                                                    std::chrono::milliseconds limit);

}  // namespace spar::plugin
