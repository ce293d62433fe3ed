#include "core/config/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace spar::config {

std::string Origin::text() const {
  switch (layer) {
    case Layer::preset:
      return "preset " + name;
    case Layer::file:
      return name + ":" + std::to_string(line);
    case Layer::command_line:
      return "command line";
    default:
      return "default";
  }
}

const Entry* Table::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

Entry* Table::find(std::string_view key) { return const_cast<Entry*>(std::as_const(*this).find(key)); }

std::string toml_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string toml_text(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_key(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : toml_text(key);
}

namespace {

std::string list_text(const Array& array) {
  std::string out = "[";
  for (const auto& item : array) out += (out.size() > 1 ? ", " : "") + toml_text(item);
  return out + "]";
}

std::string table_text(const Table& table) {
  if (table.entries.empty()) return "{}";
  std::string out = "{";
  for (const auto& entry : table.entries)
    out += (out.size() > 1 ? ", " : " ") + toml_key(entry.key) + " = " + toml_text(entry.value);
  return out + " }";
}

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace

std::string toml_text(const Value& value) {
  return std::visit(
      Overloaded{[](bool v) { return std::string(v ? "true" : "false"); }, [](int64_t v) { return std::to_string(v); },
                 [](double v) { return toml_text(v); },
                 [](const std::string& v) { return toml_text(std::string_view(v)); },
                 [](const Array& v) { return list_text(v); }, [](const Table& v) { return table_text(v); }},
      value.data);
}

std::string describe(const Value& value) {
  if (value.table()) return "a table";
  if (value.array()) return value.array()->empty() ? "an empty list" : "a list";
  if (const auto* text = std::get_if<std::string>(&value.data)) return "the text " + toml_text(std::string_view(*text));
  if (std::holds_alternative<bool>(value.data)) return toml_text(value);
  return "the number " + toml_text(value);
}

}  // namespace spar::config
