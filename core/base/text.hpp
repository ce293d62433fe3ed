// Small text helpers shared by messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spar {

/// Damerau-Levenshtein distance (adjacent transpositions count as one edit).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, or "" if none is near enough to be what was meant.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// Removes control characters, so that text of a plugin cannot steer a terminal, a log or a page.
std::string printable(std::string_view text);

/// What the system says about an errno.
std::string system_text(int code);

/// The shortest text that reads back as the same number.
std::string shortest_text(double value);

/// Two lower-case hexadecimal digits for each byte.
std::string hexadecimal(std::span<const std::byte> bytes);

/// Printable, between backquotes.
std::string backquoted(std::string_view text);

/// "a, b and c".
std::string listing(std::span<const std::string> items, std::string_view last = "and");

}  // namespace spar
