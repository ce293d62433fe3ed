#include "core/plugin/param_check.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <set>
#include <vector>

#include "core/base/text.hpp"

namespace spar::plugin {
namespace {

namespace json = boost::json;
using config::Param;

bool well_formed(const std::string& name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= 64 && lower(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

/// The numbers of a JSON number or flat list. From the text, not from the parsed value: Boost.JSON may round the last
/// digit, and a default that equals its bound must stay equal to it.
std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> out;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    double number = 0;
    const auto [next, problem] = std::from_chars(at, end, number);
    if (next == at) {
      ++at;
      continue;
    }
    if (problem == std::errc()) out.push_back(number);
    at = next;
  }
  return out;
}

bool has_type(const json::value& value, uint32_t type) {
  const auto integer = [](const json::value& v) { return v.is_int64(); };
  const auto all = [&value](auto test) {
    return value.is_array() && std::all_of(value.get_array().begin(), value.get_array().end(), test);
  };
  switch (type) {
    case SPAR_T_BOOL:
      return value.is_bool();
    case SPAR_T_INT:
      return integer(value);
    case SPAR_T_REAL:
      return value.is_number();
    case SPAR_T_STR:
      return value.is_string();
    case SPAR_T_INTS:
      return all(integer);
    case SPAR_T_REALS:
      return all([](const json::value& v) { return v.is_number(); });
    default:
      return true;
  }
}

std::string type_text(uint32_t type) {
  switch (type) {
    case SPAR_T_BOOL:
      return "true or false";
    case SPAR_T_INT:
      return "an integer";
    case SPAR_T_REAL:
      return "a number";
    case SPAR_T_STR:
      return "a text";
    case SPAR_T_INTS:
      return "a list of integers";
    case SPAR_T_REALS:
      return "a list of numbers";
    default:
      return "JSON";
  }
}

std::optional<std::string> range_problem(const Param& param, double value) {
  const bool below =
      param.min && ((param.flags & SPAR_PARAM_MIN_EXCLUSIVE) != 0 ? value <= *param.min : value < *param.min);
  const bool above =
      param.max && ((param.flags & SPAR_PARAM_MAX_EXCLUSIVE) != 0 ? value >= *param.max : value > *param.max);
  if (!below && !above) return std::nullopt;
  return "has the default " + shortest_text(value) + ", " +
         (below ? "below its minimum " + shortest_text(*param.min) : "above its maximum " + shortest_text(*param.max));
}

std::optional<std::string> default_problem(const Param& param) {
  json::error_code problem;
  const json::value value = json::parse(*param.default_json, problem);
  if (problem || !has_type(value, param.type))
    return "has the default `" + printable(*param.default_json) + "`, which is not " + type_text(param.type);
  if (param.type == SPAR_T_INT || param.type == SPAR_T_REAL || param.type == SPAR_T_INTS ||
      param.type == SPAR_T_REALS) {
    for (const double number : numbers_in(*param.default_json))
      if (auto out = range_problem(param, number)) return out;
  }
  if (param.type == SPAR_T_STR && !param.choices.empty()) {
    const std::string text(value.get_string());
    if (std::find(param.choices.begin(), param.choices.end(), text) == param.choices.end())
      return "has the default \"" + printable(text) + "\", which is not one of its choices";
  }
  return std::nullopt;
}

std::optional<std::string> problem_of(const Param& param) {
  if (param.type < SPAR_T_BOOL || param.type > SPAR_T_JSON) return "has the unknown type " + std::to_string(param.type);
  if (param.doc.empty()) return "has no documentation";
  if (param.min && param.max && *param.min > *param.max)
    return "has the minimum " + shortest_text(*param.min) + " above its maximum " + shortest_text(*param.max);
  if (!param.choices.empty() && param.type != SPAR_T_STR) return "has choices but is not a text";
  return param.default_json ? default_problem(param) : std::nullopt;
}

}  // namespace

std::optional<std::string> params_problem(const config::Component& component) {
  std::set<std::string> names;
  for (const auto& param : component.params) {
    if (!well_formed(param.name))
      return "parameter \"" + printable(param.name) + "\" of `" + component.id +
             "` needs a name of the form [a-z][a-z0-9_]*, at most 64 characters long";
    const std::string place = "parameter `" + param.name + "` of `" + component.id + "` ";
    if (!names.insert(param.name).second) return place + "is defined twice";
    if (auto problem = problem_of(param)) return place + *problem;
  }
  return std::nullopt;
}

}  // namespace spar::plugin
