// Between JSON text, as the plugin contract has it, and values.
#pragma once

#include <string>
#include <string_view>

#include "core/config/value.hpp"

namespace spar::config {

/// Compact JSON; keys keep their order. Throws Error E0205 at the place of a number that JSON cannot hold (inf, nan).
std::string to_json(const Value& value);

/// Throws std::invalid_argument with the reason: bad syntax, a null inside, or an integer beyond 64 signed bits.
Value from_json(std::string_view text);

}  // namespace spar::config
