#include "core/plugin/names.hpp"

#include <algorithm>

namespace spar::plugin {

std::vector<std::string> names_of(std::string_view id) {
  std::vector<std::string> out{std::string(id)};
  const size_t slash = id.find('/');
  // Dots after the slash belong to the field's own id ("Breakout-v0.4").
  const size_t dot = id.substr(0, slash).rfind('.');
  if (dot != std::string_view::npos) out.emplace_back(id.substr(dot + 1));
  if (slash != std::string_view::npos) out.emplace_back(id.substr(slash + 1));
  return out;
}

std::vector<std::string> resolve(std::string_view name, const std::vector<std::string>& ids) {
  if (name.empty()) return {};
  if (std::find(ids.begin(), ids.end(), name) != ids.end()) return {std::string(name)};
  const auto matching = [&ids](auto test) {
    std::vector<std::string> out;
    for (const auto& id : ids) {
      const auto names = names_of(id);
      if (std::any_of(names.begin(), names.end(), test) && std::find(out.begin(), out.end(), id) == out.end())
        out.push_back(id);
    }
    return out;
  };
  auto out = matching([name](const std::string& candidate) { return candidate == name; });
  return out.empty() ? matching([name](const std::string& candidate) { return candidate.starts_with(name); }) : out;
}

}  // namespace spar::plugin
