#include "core/train/plugins.hpp"

namespace spar {
namespace {

plugin::Registry scan(plugin::HostTable& table, const std::vector<std::filesystem::path>& directories) {
  train::offer_services(table);  // before any plugin is looked at: some require a service
  std::vector<std::string> first;
  for (const auto& directory : directories) first.push_back(directory.string());
  return plugin::Registry::scan(plugin::search_path(plugin::search_sources(std::move(first))), {.host = &table});
}

}  // namespace

Plugins::Plugins(const std::vector<std::filesystem::path>& directories) : registry_(scan(table_, directories)) {}

}  // namespace spar
