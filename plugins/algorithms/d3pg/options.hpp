// The knobs of D3PG are those of every distributional actor-critic.
#pragma once

#include "../deterministic/distributional_options.hpp"

namespace d3pg {

struct Options : deterministic::DistributionalOptions {};

inline const spar::Schema<Options>& schema() {
  static const auto instance = [] {
    spar::Schema<Options> s;
    deterministic::add_distributional_options(s);
    return s;
  }();
  return instance;
}

}  // namespace d3pg
