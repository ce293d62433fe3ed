// JSON text (RFC 8259) of network specifications.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torch_backend {

struct Json {
  enum class Type { null, boolean, number, text, list, object };
  Type type = Type::null;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  /// The member called `key`, or nullptr.
  const Json* find(std::string_view key) const;
};

/// Throws SPAR_E_INVALID for what is not JSON. Text of non-ASCII characters is expected unescaped, as UTF-8.
Json parse_json(std::string_view text);

}  // namespace torch_backend
