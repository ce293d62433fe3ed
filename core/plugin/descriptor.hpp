// Does what a loaded plugin says agree with its note and with the contract?
#pragma once

#include <vector>

#include "core/config/schema.hpp"
#include "core/plugin/plugin_file.hpp"
#include "spar/abi.h"

namespace spar::plugin {

/// The checked copy of every component whose kind this host knows, in the plugin's order. Throws Error E0121: a struct
/// smaller than ABI 1.0's, another major, ids or versions that differ from the note, NULL where something is required
/// (components, texts, function tables and their required functions), unsound parameters.
std::vector<config::Component> check_descriptor(const spar_plugin& plugin, const PluginFile& file);

/// Of a plugin that passed check_descriptor; nullptr if it has no such component.
const spar_component* find_component(const spar_plugin& plugin, uint32_t kind, std::string_view id);

}  // namespace spar::plugin
