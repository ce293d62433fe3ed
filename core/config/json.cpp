#include "core/config/json.hpp"

#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace spar::config {
namespace {

namespace json = boost::json;

json::value convert(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value.data)) return *b;
  if (const auto* i = std::get_if<int64_t>(&value.data)) return *i;
  if (const auto* s = std::get_if<std::string>(&value.data)) return json::string(*s);
  if (const auto* r = std::get_if<double>(&value.data)) {
    if (!std::isfinite(*r))
      throw Error("E0205", Exit::usage, "numbers must be finite, found " + describe(value)).at(value.place);
    return *r;
  }
  if (const Array* items = value.array()) {
    json::array out;
    for (const auto& item : *items) out.push_back(convert(item));
    return out;
  }
  json::object out;
  for (const auto& entry : value.table()->entries) out[entry.key] = convert(entry.value);
  return out;
}

/// Builds a Value from the parser's events. Numbers are read from their text: the parser's own doubles of Boost 1.81
/// can be off by the last bit (3e-4 is one of them).
struct Builder {
  static constexpr size_t max_object_size = size_t(-1);
  static constexpr size_t max_array_size = size_t(-1);
  static constexpr size_t max_key_size = size_t(-1);
  static constexpr size_t max_string_size = size_t(-1);
  using Code = boost::system::error_code;

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_comment_part(json::string_view, Code&) { return true; }
  bool on_comment(json::string_view, Code&) { return true; }
  bool on_array_begin(Code&) {
    open.push_back({Value{Array{}, {}, {}}, ""});
    return true;
  }
  bool on_array_end(size_t, Code&) { return close(); }
  bool on_object_begin(Code&) {
    open.push_back({Value{Table{{}, true}, {}, {}}, ""});
    return true;
  }
  bool on_object_end(size_t, Code&) { return close(); }
  bool on_key_part(json::string_view part, size_t, Code&) { return more(part); }
  bool on_key(json::string_view part, size_t, Code&) {
    more(part);
    open.back().key = std::exchange(text, "");
    return true;
  }
  bool on_string_part(json::string_view part, size_t, Code&) { return more(part); }
  bool on_string(json::string_view part, size_t, Code&) {
    more(part);
    return put(std::exchange(text, ""));
  }
  bool on_number_part(json::string_view part, Code&) { return more(part); }
  bool on_int64(int64_t value, json::string_view, Code&) {
    text.clear();
    return put(value);
  }
  bool on_uint64(uint64_t, json::string_view, Code&) {
    throw std::invalid_argument("the integer does not fit into 64 signed bits");
  }
  bool on_double(double value, json::string_view part, Code&) {
    more(part);
    std::from_chars(text.data(), text.data() + text.size(), value);
    text.clear();
    return put(value);
  }
  bool on_bool(bool value, Code&) { return put(value); }
  bool on_null(Code&) { throw std::invalid_argument("null is no value"); }

  bool more(json::string_view part) {
    text.append(part.data(), part.size());
    return true;
  }
  bool close() {
    Value value = std::move(open.back().value);
    open.pop_back();
    return put(std::move(value.data));
  }
  bool put(decltype(Value::data) data) {
    Value value{std::move(data), {}, {}};
    if (open.empty())
      result = std::move(value);
    else if (auto* array = std::get_if<Array>(&open.back().value.data))
      array->push_back(std::move(value));
    else
      std::get<Table>(open.back().value.data).entries.push_back({open.back().key, {}, std::move(value)});
    return true;
  }

  struct Open {
    Value value;
    std::string key;
  };
  std::vector<Open> open;
  std::string text;
  Value result;
};

}  // namespace

std::string to_json(const Value& value) { return json::serialize(convert(value)); }

Value from_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = 1024;  // deeper than TOML can nest, so that all that was written can be read
  json::basic_parser<Builder> parser(options);
  boost::system::error_code code;
  const size_t used = parser.write_some(false, text.data(), text.size(), code);
  if (!code && used < text.size()) code = json::error::extra_data;
  if (code) throw std::invalid_argument("it is not valid JSON (" + code.message() + ")");
  return std::move(parser.handler().result);
}

}  // namespace spar::config
