// Longer explanations than a message has room for: `spar explain E0203`, `spar explain dqn.lr`, `spar explain dqn`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/schema.hpp"

namespace spar::config {

/// What an error code means, how it comes about and what helps; nothing for a code that does not exist.
std::optional<std::string> explain(std::string_view code);

/// All codes that explain() knows, in order.
std::vector<std::string> error_codes();

/// One parameter: type, range, default, meaning and how to set it. Throws Error E0203 with the nearest name.
std::string explain_parameter(const Component& component, std::string_view name);

/// The component and a table of its parameters.
std::string explain_component(const Component& component);

/// The parameters as a Markdown table, for READMEs: option, type and range, default, meaning.
std::string option_table(const Component& component);

}  // namespace spar::config
