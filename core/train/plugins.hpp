// The plugins and services that runs and embedded agents are made of.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/plugin/host_table.hpp"
#include "core/plugin/registry.hpp"
#include "core/train/session.hpp"

namespace spar {

/// Found once, loaded when they are used, never unloaded. One object per process, because a plugin is initialised once;
/// it outlives everything that is made of it. For one thread.
class Plugins {
 public:
  /// Looks into `directories` (absolute), then where the programs look: SPAR_PLUGIN_PATH, the user's directory, and
  /// ../lib/spar/plugins from the directory of the running program. Never throws for a plugin that is not usable: who
  /// asks for it learns why.
  explicit Plugins(const std::vector<std::filesystem::path>& directories = {});
  Plugins(const Plugins&) = delete;
  Plugins& operator=(const Plugins&) = delete;

  plugin::Registry& registry() { return registry_; }
  const plugin::HostTable& table() const { return table_; }
  train::Host host() { return {registry_, table_}; }

 private:
  plugin::HostTable table_;
  plugin::Registry registry_;
};

}  // namespace spar
