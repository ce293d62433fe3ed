#include "core/run/json_text.hpp"

#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"

namespace spar::run {
namespace {

void append(std::string& out, const boost::json::value& value) {
  if (const auto* object = value.if_object()) {
    char before = '{';
    for (const auto& [key, member] : *object) {
      out += before;
      out += boost::json::serialize(key);
      out += ':';
      append(out, member);
      before = ',';
    }
    out += object->empty() ? "{}" : "}";
  } else if (const auto* array = value.if_array()) {
    char before = '[';
    for (const auto& item : *array) {
      out += before;
      append(out, item);
      before = ',';
    }
    out += array->empty() ? "[]" : "]";
  } else if (const auto* number = value.if_double()) {
    out += number_text(*number);
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return {text, result.ptr};
}

std::string json_text(const boost::json::value& value) {
  std::string out;
  append(out, value);
  return out;
}

boost::json::value parse_json(std::string_view text, std::string_view file) {
  boost::json::stream_parser parser;
  boost::json::error_code problem;
  const size_t read = parser.write(text.data(), text.size(), problem);
  if (!problem) parser.finish(problem);
  if (!problem) return parser.release();
  throw Error(
      "E0606", Exit::failed,
      "`" + std::string(file) + "` is not valid JSON: " + problem.message() + " near byte " + std::to_string(read))
      .help("restore the file from a copy, or delete the run");
}

}  // namespace spar::run
