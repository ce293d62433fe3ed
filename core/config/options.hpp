// The options of a component: what the configuration says, checked against the component's schema.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/config/schema.hpp"
#include "core/config/section.hpp"
#include "spar/abi.h"

namespace spar::config {

struct OptionValue {
  uint32_t type = SPAR_T_NONE;  ///< SPAR_T_*: the parameter's, or NONE for an optional one that was left out
  /// BOOL bool, INT int64, REAL double, STR and JSON (its text) string, INTS and REALS vectors, NONE monostate.
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>> data;

  bool operator==(const OptionValue&) const = default;
};

/// values[i] belongs to component->params[i].
struct Options {
  std::shared_ptr<const Component> component;
  std::vector<OptionValue> values;

  /// Null if the component has no such parameter.
  const OptionValue* find(std::string_view name) const;
};

/// Options as the plugin contract wants them. Owns all memory that the struct points to; movable, then get() is to be
/// asked again.
class ConfigView {
 public:
  explicit ConfigView(const Options& options);
  ConfigView(ConfigView&&) = default;
  ConfigView& operator=(ConfigView&&) = default;

  const spar_config* get() const { return &config_; }

 private:
  std::vector<OptionValue> values_;
  std::vector<spar_value> raw_;
  spar_config config_{};
};

/// Reads every parameter of `component` from `section`. Defaults are filled in. A table for a text parameter stands for
/// it (key `kind`) and for the parameters named after it: network = { kind = .., file = .. } sets network and
/// network_file. Records E0203 for keys that neither the
/// component nor `reserved` knows, E0204 to E0206 for values, and E0209 if a default of the component is itself wrong.
Options read_options(const std::shared_ptr<const Component>& component, Section& section,
                     std::span<const std::string> reserved, std::vector<std::string>& warnings);

/// The defaults alone. Throws Error E0206 if a parameter is required, E0209 if a default is wrong.
Options default_options(const std::shared_ptr<const Component>& component);

/// "algorithm", "environment", ..; "dqn" of "org.spar.dqn", "CartPole-v1" of "org.spar.classic/CartPole-v1".
std::string kind_name(uint32_t kind);
std::string short_id(std::string_view id);

/// "float > 0", "int in [1, 10]", `text: "huber" or "mse"`.
std::string type_and_range(const Param& param);
/// "default 3e-4", "required" or "may be left out".
std::string default_text(const Param& param);

}  // namespace spar::config
