// JSON as it is written to files and to standard output.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace spar::run {

/// One line without spaces; keys keep their order. Doubles have the shortest form that reads back the same (1.5, 3,
/// 1e-07), NaN and infinities are null.
std::string json_text(const boost::json::value& value);

/// The shortest text that reads back as the same double; "null" if it is not finite.
std::string number_text(double value);

/// Parses untrusted text. Throws E0606 naming `file`, and what is wrong where.
boost::json::value parse_json(std::string_view text, std::string_view file);

}  // namespace spar::run
