// Assignments of the command line: `algorithm.lr=1e-3`.
#pragma once

#include <string_view>

#include "core/config/value.hpp"

namespace spar::config {

/// Sets one value of the tree; what stood there is replaced as a whole. The left side is a TOML key, the right side a
/// TOML value or a bare word, which is a string (letters, digits and ._-+/:@). In an array of tables with names a name
/// chooses one: group.predators.algorithm.lr=1e-3. Throws Error E0201, and E0203 for an unknown name, with a caret in
/// the argument.
void assign(Table& root, std::string_view argument);

}  // namespace spar::config
