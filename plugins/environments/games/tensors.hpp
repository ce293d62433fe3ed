// Which numbers a poker player is shown.
#pragma once

#include <string>

#include "spar/schema.hpp"

namespace spar::games {

struct TensorConfig {
  std::string tensor = "information";
};

inline const Schema<TensorConfig>& tensor_schema() {
  static const auto instance = Schema<TensorConfig>().text(
      "tensor", &TensorConfig::tensor, {"information", "observation"},
      "what a player is shown: its information state (all bets, in order) or the table now (its stakes)");
  return instance;
}

}  // namespace spar::games
