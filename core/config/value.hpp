// A configuration as it was written, before it has a meaning: values in the order of the text, each with its place and
// its origin.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.hpp"

namespace spar::config {

/// Where a value came from. Later layers win.
enum class Layer { defaults, preset, file, command_line };

struct Origin {
  Layer layer = Layer::defaults;
  std::string name;  ///< of the preset or the file
  int line = 0;      ///< in the file

  /// "default", "preset NAME", "FILE:LINE" or "command line".
  std::string text() const;
  auto operator<=>(const Origin&) const = default;
};

/// Origins by path ("algorithm.lr"); what is not listed is a default.
using Origins = std::map<std::string, Origin>;

struct Value;
struct Entry;
using Array = std::vector<Value>;

struct Table {
  std::vector<Entry> entries;  ///< in the order of the text
  bool is_inline = false;      ///< written as { .. }: an assignment replaces it as a whole

  const Entry* find(std::string_view key) const;
  Entry* find(std::string_view key);
};

struct Value {
  std::variant<bool, int64_t, double, std::string, Array, Table> data;
  Place place;
  Origin origin;

  const Table* table() const { return std::get_if<Table>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
};

struct Entry {
  std::string key;
  Place place;  ///< of the key
  Value value;
};

/// The value in words for messages: the number 1.5, the text "abc", a table.
std::string describe(const Value& value);

/// The value as TOML on one line. A double always has a point or an exponent and reads back as the same bits.
std::string toml_text(const Value& value);
std::string toml_text(double value);
std::string toml_text(std::string_view text);  ///< quoted and escaped

/// A key as TOML: bare where that is allowed, else quoted.
std::string toml_key(std::string_view key);

}  // namespace spar::config
