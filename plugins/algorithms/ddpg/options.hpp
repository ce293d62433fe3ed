// The knobs of DDPG are those of every deterministic actor-critic, with the documented defaults.
#pragma once

#include "../deterministic/shared_options.hpp"

namespace ddpg {

struct Options : deterministic::Options {};

inline const spar::Schema<Options>& schema() {
  static const auto instance = [] {
    spar::Schema<Options> s;
    deterministic::add_options(s);
    return s;
  }();
  return instance;
}

}  // namespace ddpg
