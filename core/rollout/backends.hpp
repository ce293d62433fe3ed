// Network backends by id, opened for the networks of one component instance.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/nn/backend.hpp"
#include "spar/abi.h"

namespace spar::rollout {

/// Loads a component by kind and id: the plugin registry's part.
using ComponentLoader = std::function<const spar_component&(uint32_t kind, std::string_view id)>;

/// Nothing without `load`. Opens backends with the defaults of their options. `scope`: name of the instance; a
/// backend's own random stream and log lines are named `scope`/id. `host` must outlive what is opened.
nn::BackendOpener backend_opener(const spar_host& host, ComponentLoader load, std::string scope, uint64_t root_seed);

}  // namespace spar::rollout
