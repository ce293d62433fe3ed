// What the host knows of a component without an instance: its parameters, copied out of the plugin (or out of the
// schema cache), so that configuration, help and documentation need no plugin in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spar/abi.h"

namespace spar::config {

/// One parameter; the fields are those of spar_param.
struct Param {
  std::string name, doc;
  uint32_t type = SPAR_T_NONE;              ///< SPAR_T_*
  std::optional<std::string> default_json;  ///< none: required, or left out if SPAR_PARAM_OPTIONAL
  std::optional<double> min, max;           ///< none: unbounded
  std::vector<std::string> choices;         ///< empty: any text
  uint32_t flags = 0;                       ///< SPAR_PARAM_*
};

/// One component of a plugin.
struct Component {
  uint32_t kind = 0;  ///< SPAR_KIND_*
  std::string id, version, title, doc;
  uint32_t flags = 0;  ///< flags of its function table: SPAR_ALGO_*, SPAR_ENV_*, ..
  std::vector<Param> params;
};

/// Deep copies; NULL strings become empty. Never reads past struct_size.
Param copy_param(const spar_param& param);
Component copy_component(const spar_component& component);

}  // namespace spar::config
