#include "core/config/assignment.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/config/toml.hpp"

namespace spar::config {
namespace {

constexpr const char* kQuotes = "text that is more than one word needs quotes inside those of the shell: 'name=\"..\"'";

Error fail(std::string_view argument, size_t column, const std::string& message) {
  Place place;
  place.file = "command line";
  place.column = static_cast<int>(column) + 1;
  place.source = printable(argument);
  return Error("E0201", Exit::usage, message)
      .at(std::move(place))
      .help("write key=value, e.g. algorithm.lr=1e-3 or env.id=CartPole-v1");
}

/// The first `=` that is not part of a quoted key.
size_t equals_sign(std::string_view argument) {
  char quote = 0;
  for (size_t i = 0; i < argument.size(); ++i) {
    const char c = argument[i];
    if (quote) {
      if (c == '\\' && quote == '"')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '=') {
      return i;
    }
  }
  return std::string_view::npos;
}

bool bare_word(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-+/:@").find(c) != std::string_view::npos;
  });
}

/// [[group]]: the table with the name that `inner` names, as in group.NAME.key=..; null if `value` is no array of
/// tables with names. Throws if there is none of this name.
Table* table_named(Value& value, const Entry& inner) {
  std::vector<std::string> names;
  auto* items = std::get_if<Array>(&value.data);
  for (size_t i = 0; items && i < items->size(); ++i) {
    auto* table = std::get_if<Table>(&(*items)[i].data);
    const Entry* entry = table ? table->find("name") : nullptr;
    const auto* text = entry ? std::get_if<std::string>(&entry->value.data) : nullptr;
    if (text && *text == inner.key) return table;
    if (text) names.push_back(*text);
  }
  if (names.empty()) return nullptr;
  Place place = inner.place;
  place.caret_note = "there are " + listing(names);
  throw Error("E0203", Exit::usage, "there is no group `" + printable(inner.key) + "`").at(std::move(place));
}

/// A chain of tables down to the value, as TOML makes it of `a.b.c = value`.
Table parse(std::string_view argument, size_t equals) {
  const Origin origin{Layer::command_line, "", 0};
  try {
    return parse_toml(argument, "command line", origin);
  } catch (const Error& error) {
    std::string_view word = argument.substr(equals + 1);
    if (error.code() != "E0201") throw;
    if (!bare_word(word)) throw Error(error).help(kQuotes);
    // The quotes take the place of nothing: columns of key and value stay what they are in the argument.
    Table root = parse_toml(std::string(argument.substr(0, equals + 1)) + "\"" + std::string(word) + "\"",
                            "command line", origin);
    Table* table = &root;
    while (true) {
      Entry& entry = table->entries.front();
      entry.place.source = printable(argument);
      entry.value.place.source = printable(argument);
      if (!entry.value.table()) {
        entry.value.place.length = static_cast<int>(word.size());
        return root;
      }
      table = std::get_if<Table>(&entry.value.data);
    }
  }
}

}  // namespace

void assign(Table& root, std::string_view argument) {
  for (size_t i = 0; i < argument.size(); ++i)
    if (static_cast<unsigned char>(argument[i]) < 0x20) throw fail(argument, i, "an assignment is one line of text");
  const size_t equals = equals_sign(argument);
  if (equals == std::string_view::npos)
    throw fail(argument, argument.size(), "`" + printable(argument) + "` is not an assignment: there is no `=`");
  // A `[` or a `#` would make a section or a comment of it.
  const size_t start = argument.find_first_not_of(' ');
  if (start == equals || argument[start] == '[' || argument[start] == '#')
    throw fail(argument, start, "an assignment needs a key before `=`");
  if (argument.find_first_not_of(' ', equals + 1) == std::string_view::npos)
    throw fail(argument, equals + 1, "an assignment needs a value after `=`");

  Table parsed = parse(argument, equals);
  Table* into = &root;
  Entry* from = &parsed.entries.front();
  while (true) {
    Entry* existing = into->find(from->key);
    Table* deeper = std::get_if<Table>(&from->value.data);
    const auto chain = [](const Table* table) { return table && !table->is_inline && !table->entries.empty(); };
    if (existing && chain(deeper)) {
      Entry& inner = deeper->entries.front();
      Table* settings = std::get_if<Table>(&inner.value.data);
      Table* named = chain(settings) ? table_named(existing->value, inner) : nullptr;
      if (named) {
        into = named;
        from = &settings->entries.front();
        continue;
      }
    }
    const bool leaf = !chain(deeper);
    if (!existing || leaf || !existing->value.table()) {
      if (existing)
        *existing = std::move(*from);
      else
        into->entries.push_back(std::move(*from));
      return;
    }
    into = std::get_if<Table>(&existing->value.data);
    from = &deeper->entries.front();
  }
}

}  // namespace spar::config
