#include "core/config/schema.hpp"

#include <cmath>

namespace spar::config {
namespace {
std::string text(const char* s) { return s ? s : ""; }
}  // namespace

Param copy_param(const spar_param& param) {
  Param out;
  out.name = text(param.name);
  out.doc = text(param.doc);
  out.type = param.type;
  if (param.default_json) out.default_json = param.default_json;
  if (!std::isnan(param.min)) out.min = param.min;
  if (!std::isnan(param.max)) out.max = param.max;
  for (const char* const* choice = param.choices; choice && *choice; ++choice) out.choices.emplace_back(*choice);
  out.flags = param.flags;
  return out;
}

Component copy_component(const spar_component& component) {
  Component out;
  out.kind = component.kind;
  out.id = text(component.id);
  out.version = text(component.version);
  out.title = text(component.title);
  out.doc = text(component.doc);
  // Every function table starts with struct_size and flags.
  if (component.vtbl) out.flags = static_cast<const uint32_t*>(component.vtbl)[1];
  for (uint32_t i = 0; i < component.n_params; ++i) out.params.push_back(copy_param(*component.params[i]));
  return out;
}

}  // namespace spar::config
