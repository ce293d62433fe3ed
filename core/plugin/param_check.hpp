// Is a component's description of its parameters sound? Asked of every plugin before anything is built on it.
#pragma once

#include <optional>
#include <string>

#include "core/config/schema.hpp"

namespace spar::plugin {

/// What is wrong with the parameters, as a sentence that names the parameter; nothing if all is well. Checked: names
/// well-formed and unique, known types, documented, min <= max, choices only for texts, default of the right type and
/// in range.
std::optional<std::string> params_problem(const config::Component& component);

}  // namespace spar::plugin
