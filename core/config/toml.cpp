#include "core/config/toml.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/text.hpp"

namespace spar::config {
namespace {

constexpr uintmax_t kMaxFileSize = 4u << 20;

class Converter {
 public:
  Converter(std::string_view text, std::string file, Origin origin)
      : file_(std::move(file)), origin_(std::move(origin)) {
    while (true) {
      const size_t end = text.find('\n');
      lines_.push_back(text.substr(0, end));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }

  Place place(const toml::source_region& region) const {
    Place out;
    out.file = file_;
    const auto line = region.begin.line;
    // An argument of the command line is one line without a number.
    if (origin_.layer != Layer::command_line) out.line = static_cast<int>(line);
    out.column = static_cast<int>(region.begin.column);
    if (line >= 1 && line <= lines_.size()) out.source = source_line(lines_[line - 1]);
    if (region.end.line == line && region.end.column > region.begin.column)
      out.length = static_cast<int>(region.end.column - region.begin.column);
    return out;
  }

  Table table(const toml::table& from) const {
    Table out;
    out.is_inline = from.is_inline();
    for (const auto& [key, node] : from)
      out.entries.push_back({std::string(key.str()), place(key.source()), value(node)});
    // The parser sorts by name; people and messages go by position.
    std::ranges::stable_sort(out.entries, [](const Entry& a, const Entry& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return out;
  }

 private:
  static std::string source_line(std::string_view line) {
    std::string out(line);
    std::ranges::replace(out, '\t', ' ');
    return printable(out);
  }

  Value value(const toml::node& node) const {
    Value out;
    out.place = place(node.source());
    out.origin = origin_;
    if (origin_.layer == Layer::file) out.origin.line = out.place.line;
    if (const auto* b = node.as_boolean())
      out.data = b->get();
    else if (const auto* i = node.as_integer())
      out.data = i->get();
    else if (const auto* r = node.as_floating_point())
      out.data = r->get();
    else if (const auto* s = node.as_string())
      out.data = s->get();
    else if (const auto* t = node.as_table())
      out.data = table(*t);
    else if (const auto* a = node.as_array())
      out.data = array(*a);
    else
      throw Error("E0204", Exit::usage, "dates and times are not values of an experiment")
          .at(std::move(out.place))
          .help("put it in quotes if it is meant as text");
    return out;
  }

  Array array(const toml::array& from) const {
    Array out;
    for (const auto& node : from) out.push_back(value(node));
    return out;
  }

  std::string file_;
  Origin origin_;
  std::vector<std::string_view> lines_;
};

/// The parser's sentence without its "Error while parsing X: ".
std::string reason(const toml::parse_error& error) {
  const auto description = error.description();
  const size_t colon = description.starts_with("Error while") ? description.find(": ") : std::string_view::npos;
  std::string out(colon == std::string_view::npos ? description : description.substr(colon + 2));
  if (out.starts_with("Encountered")) out[0] = 'e';
  return printable(out);
}

}  // namespace

Table parse_toml(std::string_view text, const std::string& file, const Origin& origin) {
  const Converter converter(text, file, origin);
  toml::table parsed;
  try {
    parsed = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error("E0201", Exit::usage, "this is not valid TOML: " + reason(error)).at(converter.place(error.source()));
  }
  return converter.table(parsed);
}

Table parse_toml_file(const std::string& path, const Origin& origin) {
  const auto fail = [&](const std::string& problem) -> Error {
    return Error("E0210", Exit::usage, "cannot read `" + printable(path) + "`: " + problem);
  };
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) throw fail("there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw fail("it is not a file");
  if (std::filesystem::file_size(path, code) > kMaxFileSize) throw fail("it is larger than 4 MiB");
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in) throw fail("it cannot be opened or read");
  return parse_toml(text, path, origin);
}

}  // namespace spar::config
