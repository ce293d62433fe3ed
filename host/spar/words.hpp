// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace spar::host {

std::string grouped(uint64_t count);                 ///< 26,112
std::string brief(double value);                     ///< 475, 0.01234, 1.2e-07: four digits
std::string bytes_text(uint64_t bytes);              ///< 13.7 MB
std::string duration_text(double seconds);           ///< 2.1 s, 3 min 20 s, 2 h 05 min
std::string padded(std::string text, size_t width);  ///< spaces behind it; code points are counted, not bytes
size_t columns_of(const std::string& text);          ///< code points outside of escape sequences
std::string cut_to(const std::string& text, size_t columns);

}  // namespace spar::host
