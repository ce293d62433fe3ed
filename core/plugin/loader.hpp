// Loading a plugin into this process. From here on its code runs with all the rights of the user.
#pragma once

#include <memory>
#include <vector>

#include "core/config/schema.hpp"
#include "core/plugin/plugin_file.hpp"
#include "spar/abi.h"

namespace spar::plugin {

/// A loaded and checked plugin. It is never unloaded: code of it may still be referenced when the process ends.
class LoadedPlugin {
 public:
  /// Loads a file that inspect() found usable: now, locally, for ever. Checks that it is still the file that was
  /// inspected, calls the entry, checks the descriptor. Throws Error with exit code 3: E0120 (the linker refuses, no
  /// entry, no descriptor), E0121 (see descriptor.hpp), E0123 (the file changed), E0126 and E0127 (see libtorch.hpp).
  explicit LoadedPlugin(const PluginFile& file);
  LoadedPlugin(LoadedPlugin&&) noexcept;
  ~LoadedPlugin();

  const spar_plugin& descriptor() const { return *descriptor_; }
  const std::vector<config::Component>& components() const { return components_; }

  /// Calls the plugin's init() the first time; throws Error E0122 if that fails.
  void init(const spar_host& host);
  /// Calls deinit() if init() was called.
  void deinit();

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::string place_;  ///< "plugin FILE", for messages
  const spar_plugin* descriptor_ = nullptr;
  std::vector<config::Component> components_;
  bool initialised_ = false;
};

}  // namespace spar::plugin
