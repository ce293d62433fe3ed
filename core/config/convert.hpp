// One value of the configuration against one parameter of a schema.
#pragma once

#include <string_view>

#include "core/config/options.hpp"

namespace spar::config {

/// `subject` names the parameter in messages. Throws Error E0204 (wrong type) or E0205 (out of range, not a choice) at
/// the value's place. An integer is a real too; nothing else is converted.
OptionValue convert(const Param& param, const Value& value, std::string_view subject);

/// The way back: the value that convert() accepts. NONE has none and is a std::logic_error.
Value to_value(const OptionValue& option);
/// As TOML, or "left out".
std::string text_of(const OptionValue& option);

}  // namespace spar::config
