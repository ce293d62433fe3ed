// The options of an embedded agent's algorithm, in any of the forms in which an embedder has them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"
#include "core/config/value.hpp"

namespace spar {

/// Options by name; what is left out has its default.
class AgentOptions {
 public:
  AgentOptions() = default;
  /// TOML ("lr = 1e-3\nhidden_layers = [64, 64]"), or JSON if it begins with `{`. Throws Error E0201 and E0204.
  AgentOptions(std::string_view text);  // NOLINT: implicit
  AgentOptions(const char* text) : AgentOptions(std::string_view(text)) {}
  AgentOptions(const std::string& text) : AgentOptions(std::string_view(text)) {}
  /// A part of a configuration that was read already: the table [algorithm] without `id`.
  AgentOptions(config::Table table) : table_(std::move(table)) {}  // NOLINT: implicit
  /// A TOML file of options. Throws Error E0201, E0204 and E0210.
  static AgentOptions file(const std::filesystem::path& path);

  /// Checked against the component's schema, with the messages of `spar train`. Throws Error E0203 to E0206 and E0209,
  /// and config::Errors if there are several. Sentences for a person (deprecated options) go to `warnings`.
  config::Options resolve(const std::shared_ptr<const config::Component>& component,
                          std::vector<std::string>& warnings) const;

  const config::Table& table() const { return table_; }

 private:
  config::Table table_;
};

/// All options as one JSON object, defaults included; optional ones that were left out are not in it.
std::string options_json(const config::Options& options);

}  // namespace spar
