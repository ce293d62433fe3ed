#include "host/spar/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace spar::host {
namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

/// Bytes of what begins at `at`: an escape sequence up to its letter, or one code point.
size_t length_at(const std::string& text, size_t at, bool& visible) {
  size_t end = at + 1;
  visible = text[at] != '\x1b';
  if (!visible) {
    while (end < text.size() && !((text[end] >= 'A' && text[end] <= 'Z') || (text[end] >= 'a' && text[end] <= 'z')))
      ++end;
    return std::min(end + 1, text.size()) - at;
  }
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

}  // namespace

std::string grouped(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string brief(double value) { return std::isfinite(value) ? format("%.4g", value) : "-"; }

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes);
  const char* unit = "kB";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    unit = next;
    value /= 1000;
    if (value < 999.5) break;
  }
  return format(value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0)) return "-";
  if (seconds < 60) return format("%.1f s", seconds);
  const auto whole = static_cast<uint64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 3600) return format("%d min %02d s", static_cast<int>(whole / 60), static_cast<int>(whole % 60));
  return format("%llu h %02d min", static_cast<unsigned long long>(whole / 3600), static_cast<int>(whole % 3600 / 60));
}

size_t columns_of(const std::string& text) {
  size_t columns = 0;
  bool visible = true;
  for (size_t at = 0; at < text.size();) {
    at += length_at(text, at, visible);
    columns += visible ? 1 : 0;
  }
  return columns;
}

std::string padded(std::string text, size_t width) {
  const size_t columns = columns_of(text);
  if (columns < width) text.append(width - columns, ' ');
  return text;
}

std::string cut_to(const std::string& text, size_t columns) {
  std::string out;
  size_t used = 0;
  bool visible = true;
  for (size_t at = 0; at < text.size();) {
    const size_t length = length_at(text, at, visible);
    if (!visible || used < columns) out += text.substr(at, length);
    used += visible ? 1 : 0;
    at += length;
  }
  return out;
}

}  // namespace spar::host
