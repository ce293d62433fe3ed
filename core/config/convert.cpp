#include "core/config/convert.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/base/text.hpp"
#include "core/config/json.hpp"

namespace spar::config {
namespace {

class Conversion {
 public:
  Conversion(const Param& param, std::string_view subject) : param_(param), subject_(subject) {}

  OptionValue run(const Value& value) const {
    switch (param_.type) {
      case SPAR_T_BOOL:
        return {SPAR_T_BOOL, expect<bool>(value)};
      case SPAR_T_INT:
        return {SPAR_T_INT, integer(value)};
      case SPAR_T_REAL:
        return {SPAR_T_REAL, real(value)};
      case SPAR_T_STR:
        return {SPAR_T_STR, text(value)};
      case SPAR_T_INTS:
        return {SPAR_T_INTS, list<int64_t>(value, [&](const Value& item) { return integer(item); })};
      case SPAR_T_REALS:
        return {SPAR_T_REALS, list<double>(value, [&](const Value& item) { return real(item); })};
      case SPAR_T_JSON:
        if (!value.table() && !value.array()) wrong_type(value);
        return {SPAR_T_JSON, to_json(value)};
      default:
        throw Error("E0209", Exit::plugin,
                    std::string(subject_) + " has the unknown type " + std::to_string(param_.type));
    }
  }

 private:
  [[noreturn]] void wrong_type(const Value& value) const {
    Place place = value.place;
    // 1e5 is a float in TOML, and people write it for counts.
    if (const auto* r = std::get_if<double>(&value.data);
        r && wants_integers() && std::trunc(*r) == *r && std::abs(*r) < 1e15)
      place.caret_note = "write " + std::to_string(static_cast<int64_t>(*r));
    throw Error("E0204", Exit::usage,
                "expected " + type_and_range(param_) + " for " + std::string(subject_) + ", found " + describe(value))
        .at(std::move(place));
  }

  [[noreturn]] void out_of_range(const Value& value, const std::string& note = "") const {
    throw Error("E0205", Exit::usage,
                "expected " + type_and_range(param_) + " for " + std::string(subject_) + ", found " + describe(value))
        .at(with_note(value.place, note));
  }

  bool wants_integers() const { return param_.type == SPAR_T_INT || param_.type == SPAR_T_INTS; }

  template <class T>
  const T& expect(const Value& value) const {
    const T* found = std::get_if<T>(&value.data);
    if (!found) wrong_type(value);
    return *found;
  }

  void check_range(const Value& value, double number) const {
    const bool low =
        param_.min && (number < *param_.min || (param_.flags & SPAR_PARAM_MIN_EXCLUSIVE && number == *param_.min));
    const bool high =
        param_.max && (number > *param_.max || (param_.flags & SPAR_PARAM_MAX_EXCLUSIVE && number == *param_.max));
    if (low || high || !std::isfinite(number)) out_of_range(value);
  }

  int64_t integer(const Value& value) const {
    const auto number = expect<int64_t>(value);
    check_range(value, static_cast<double>(number));
    return number;
  }

  double real(const Value& value) const {
    const auto* whole = std::get_if<int64_t>(&value.data);
    const double number = whole ? static_cast<double>(*whole) : expect<double>(value);
    check_range(value, number);
    return number;
  }

  std::string text(const Value& value) const {
    const auto& found = expect<std::string>(value);
    if (!param_.choices.empty() && std::ranges::find(param_.choices, found) == param_.choices.end())
      out_of_range(value, did_you_mean(found, param_.choices));
    return found;
  }

  template <class T, class Read>
  std::vector<T> list(const Value& value, Read read) const {
    std::vector<T> out;
    for (const auto& item : expect<Array>(value)) out.push_back(read(item));
    return out;
  }

  const Param& param_;
  std::string_view subject_;
};

template <class T>
Array values(const std::vector<T>& items) {
  Array out;
  for (const T item : items) out.emplace_back().data = item;
  return out;
}

}  // namespace

OptionValue convert(const Param& param, const Value& value, std::string_view subject) {
  return Conversion(param, subject).run(value);
}

Value to_value(const OptionValue& option) {
  switch (option.type) {
    case SPAR_T_BOOL:
      return {std::get<bool>(option.data), {}, {}};
    case SPAR_T_INT:
      return {std::get<int64_t>(option.data), {}, {}};
    case SPAR_T_REAL:
      return {std::get<double>(option.data), {}, {}};
    case SPAR_T_STR:
      return {std::get<std::string>(option.data), {}, {}};
    case SPAR_T_INTS:
      return {values(std::get<std::vector<int64_t>>(option.data)), {}, {}};
    case SPAR_T_REALS:
      return {values(std::get<std::vector<double>>(option.data)), {}, {}};
    case SPAR_T_JSON:
      return from_json(std::get<std::string>(option.data));
    default:
      throw std::logic_error("an option that was left out has no value");
  }
}

std::string text_of(const OptionValue& option) {
  return option.type == SPAR_T_NONE ? "left out" : toml_text(to_value(option));
}

}  // namespace spar::config
