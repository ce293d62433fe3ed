// Schemas in words: for messages and for `spar explain`.
#include <array>

#include "core/base/text.hpp"
#include "core/config/options.hpp"

namespace spar::config {
namespace {

std::string type_name(uint32_t type) {
  static constexpr std::array<const char*, 8> kNames = {
      "nothing", "true or false", "int", "float", "text", "a list of ints", "a list of floats", "a table or a list"};
  return type < kNames.size() ? kNames[type] : "type " + std::to_string(type);
}

std::string range(const Param& param) {
  const bool above = param.flags & SPAR_PARAM_MIN_EXCLUSIVE, below = param.flags & SPAR_PARAM_MAX_EXCLUSIVE;
  if (param.min && param.max)
    return std::string(" in ") + (above ? "(" : "[") + shortest_text(*param.min) + ", " + shortest_text(*param.max) +
           (below ? ")" : "]");
  if (param.min) return (above ? " > " : " >= ") + shortest_text(*param.min);
  if (param.max) return (below ? " < " : " <= ") + shortest_text(*param.max);
  return "";
}

}  // namespace

std::string kind_name(uint32_t kind) {
  switch (kind) {
    case SPAR_KIND_ENV:
      return "environment";
    case SPAR_KIND_ALGO:
      return "algorithm";
    case SPAR_KIND_STRATEGY:
      return "strategy";
    case SPAR_KIND_BACKEND:
      return "backend";
    default:
      return "component of kind " + std::to_string(kind);
  }
}

std::string short_id(std::string_view id) {
  const size_t slash = id.rfind('/');
  if (slash != std::string_view::npos) return std::string(id.substr(slash + 1));
  const size_t dot = id.rfind('.');
  return std::string(dot == std::string_view::npos ? id : id.substr(dot + 1));
}

std::string type_and_range(const Param& param) {
  if (param.choices.empty()) return type_name(param.type) + range(param);
  std::vector<std::string> quoted;
  for (const auto& choice : param.choices) quoted.push_back(toml_text(std::string_view(choice)));
  return listing(quoted, "or");
}

std::string default_text(const Param& param) {
  if (param.default_json) return "default " + printable(*param.default_json);
  return param.flags & SPAR_PARAM_OPTIONAL ? "may be left out" : "required";
}

}  // namespace spar::config
