// From TOML text to values with places.
#pragma once

#include <string>
#include <string_view>

#include "core/config/value.hpp"

namespace spar::config {

/// Parses `text`; `file` names it in places. `origin` is copied to every value, with the line filled in for files.
/// Throws Error E0201 for what is not TOML, E0204 for dates and times, which no setting takes.
Table parse_toml(std::string_view text, const std::string& file, const Origin& origin);

/// Reads and parses a file. Throws Error E0210 if it cannot be read or is larger than 4 MiB.
Table parse_toml_file(const std::string& path, const Origin& origin);

}  // namespace spar::config
