// Parameters of a component: one line each, bound to a member of its Config. The member's initialiser is the default,
// the text is the documentation, the bounds are checked by the host before anything runs.
//
//   struct Config { double lr = 3e-4; std::vector<int64_t> hidden_layers = {64, 64}; };
//   static const spar::Schema<Config>& schema() {
//     static const auto instance = spar::Schema<Config>()
//         .real("lr", &Config::lr, spar::above(0), "Adam step size")
//         .integers("hidden_layers", &Config::hidden_layers, spar::at_least(1), "widths of the hidden layers");
//     return instance;
//   }
#pragma once

#include <charconv>
#include <cmath>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spar/barrier.hpp"

namespace spar {

/// Bounds of a number; NaN = none.
struct Bounds {
  double min = std::numeric_limits<double>::quiet_NaN();
  double max = std::numeric_limits<double>::quiet_NaN();
  uint32_t flags = 0;
};
inline Bounds at_least(double min) { return {min, std::numeric_limits<double>::quiet_NaN(), 0}; }
inline Bounds above(double min) { return {min, std::numeric_limits<double>::quiet_NaN(), SPAR_PARAM_MIN_EXCLUSIVE}; }
inline Bounds between(double min, double max) { return {min, max, 0}; }
inline Bounds above_up_to(double min, double max) { return {min, max, SPAR_PARAM_MIN_EXCLUSIVE}; }
inline Bounds any_number() { return {}; }

namespace detail {
inline std::string json(bool v) { return v ? "true" : "false"; }
inline std::string json(int64_t v) { return std::to_string(v); }
inline std::string json(double v) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  std::string text(buffer, end);
  // A real stays a real: "10" would read as an integer.
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}
inline std::string json(const std::string& v) {
  std::string text = "\"";
  for (const char c : v) {
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr const char* kDigits = "0123456789abcdef";
      text += "\\u00";
      text += kDigits[c >> 4];
      text += kDigits[c & 15];
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}
template <class T>
std::string json(const std::vector<T>& v) {
  std::string text = "[";
  for (size_t i = 0; i < v.size(); ++i) text += (i ? "," : "") + json(v[i]);
  return text + "]";
}
}  // namespace detail

template <class Config>
class Schema {
 public:
  Schema& boolean(const char* name, bool Config::*member, const char* doc, uint32_t flags = 0) {
    return add(name, doc, SPAR_T_BOOL, {}, flags, detail::json(Config{}.*member),
               [member](Config& c, const spar_value& v) { c.*member = v.u.i != 0; });
  }
  Schema& integer(const char* name, int64_t Config::*member, Bounds bounds, const char* doc, uint32_t flags = 0) {
    return add(name, doc, SPAR_T_INT, bounds, flags, detail::json(Config{}.*member),
               [member](Config& c, const spar_value& v) { c.*member = v.u.i; });
  }
  Schema& real(const char* name, double Config::*member, Bounds bounds, const char* doc, uint32_t flags = 0) {
    return add(name, doc, SPAR_T_REAL, bounds, flags, detail::json(Config{}.*member),
               [member](Config& c, const spar_value& v) { c.*member = v.u.r; });
  }
  Schema& optional_real(const char* name, std::optional<double> Config::*member, Bounds bounds, const char* doc,
                        uint32_t flags = 0) {
    return add(name, doc, SPAR_T_REAL, bounds, flags | SPAR_PARAM_OPTIONAL, std::nullopt,
               [member](Config& c, const spar_value& v) {
                 if (v.type != SPAR_T_NONE) c.*member = v.u.r;
               });
  }
  Schema& optional_integer(const char* name, std::optional<int64_t> Config::*member, Bounds bounds, const char* doc,
                           uint32_t flags = 0) {
    return add(name, doc, SPAR_T_INT, bounds, flags | SPAR_PARAM_OPTIONAL, std::nullopt,
               [member](Config& c, const spar_value& v) {
                 if (v.type != SPAR_T_NONE) c.*member = v.u.i;
               });
  }
  Schema& text(const char* name, std::string Config::*member, std::initializer_list<const char*> choices,
               const char* doc, uint32_t flags = 0) {
    choices_.emplace_back(choices);
    choices_.back().push_back(nullptr);
    return add(
        name, doc, SPAR_T_STR, {}, flags, detail::json(Config{}.*member),
        [member](Config& c, const spar_value& v) { c.*member = std::string(view(v.u.s)); },
        choices.size() ? static_cast<int>(choices_.size()) - 1 : -1);
  }
  Schema& integers(const char* name, std::vector<int64_t> Config::*member, Bounds bounds, const char* doc,
                   uint32_t flags = 0) {
    return add(name, doc, SPAR_T_INTS, bounds, flags, detail::json(Config{}.*member),
               [member](Config& c, const spar_value& v) { (c.*member).assign(v.u.iv, v.u.iv + v.count); });
  }
  Schema& optional_integers(const char* name, std::optional<std::vector<int64_t>> Config::*member, Bounds bounds,
                            const char* doc, uint32_t flags = 0) {
    return add(name, doc, SPAR_T_INTS, bounds, flags | SPAR_PARAM_OPTIONAL, std::nullopt,
               [member](Config& c, const spar_value& v) {
                 if (v.type != SPAR_T_NONE) c.*member = std::vector<int64_t>(v.u.iv, v.u.iv + v.count);
               });
  }
  Schema& reals(const char* name, std::vector<double> Config::*member, Bounds bounds, const char* doc,
                uint32_t flags = 0) {
    return add(name, doc, SPAR_T_REALS, bounds, flags, detail::json(Config{}.*member),
               [member](Config& c, const spar_value& v) { (c.*member).assign(v.u.rv, v.u.rv + v.count); });
  }

  /// Throws SPAR_E_INVALID if the host's values are not those of this schema.
  Config parse(const spar_config* config) const {
    if (!config || config->count != entries_.size()) {
      throw StatusError(SPAR_E_INVALID, "the host passed " + std::to_string(config ? config->count : 0) +
                                            " configuration values, the schema has " + std::to_string(entries_.size()));
    }
    Config parsed;
    for (size_t i = 0; i < entries_.size(); ++i) {
      const spar_value& value = config->values[i];
      const Entry& entry = entries_[i];
      const bool left_out = value.type == SPAR_T_NONE && (entry.flags & SPAR_PARAM_OPTIONAL);
      if (value.type != entry.type && !left_out) {
        throw StatusError(SPAR_E_INVALID, "parameter `" + entry.name + "` arrived with type " +
                                              std::to_string(value.type) + ", expected " + std::to_string(entry.type));
      }
      entry.assign(parsed, value);
    }
    return parsed;
  }

  /// The table for spar_component; valid as long as the schema, which must not be copied afterwards.
  const spar_param* const* table() const {
    if (table_.empty() && !entries_.empty()) {
      for (const Entry& e : entries_) {
        params_.push_back({sizeof(spar_param), e.type, e.name.c_str(), e.doc.c_str(),
                           e.default_json ? e.default_json->c_str() : nullptr, e.bounds.min, e.bounds.max,
                           e.choices >= 0 ? choices_[static_cast<size_t>(e.choices)].data() : nullptr, e.flags, 0});
        table_.push_back(&params_.back());
      }
    }
    return table_.data();
  }
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

 private:
  struct Entry {
    std::string name, doc;
    uint32_t type;
    Bounds bounds;
    uint32_t flags;
    std::optional<std::string> default_json;
    std::function<void(Config&, const spar_value&)> assign;
    int choices;
  };

  Schema& add(const char* name, const char* doc, uint32_t type, Bounds bounds, uint32_t flags,
              std::optional<std::string> default_json, std::function<void(Config&, const spar_value&)> assign,
              int choices = -1) {
    entries_.push_back(
        {name, doc, type, bounds, flags | bounds.flags, std::move(default_json), std::move(assign), choices});
    return *this;
  }

  std::deque<Entry> entries_;
  std::deque<std::vector<const char*>> choices_;
  mutable std::deque<spar_param> params_;
  mutable std::vector<const spar_param*> table_;
};

}  // namespace spar
