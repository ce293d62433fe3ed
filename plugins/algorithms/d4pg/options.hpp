// The knobs of D4PG: those of every distributional actor-critic, and the number of actors.
#pragma once

#include "../deterministic/distributional_options.hpp"

namespace d4pg {

struct Options : deterministic::DistributionalOptions {
  int64_t num_workers = 1;
};

inline const spar::Schema<Options>& schema() {
  static const auto instance = [] {
    spar::Schema<Options> s;
    deterministic::add_distributional_options(s);
    s.integer("num_workers", &Options::num_workers, spar::between(1, 4096),
              "parallel actors: the environment copies (env.count) are divided among them");
    return s;
  }();
  return instance;
}

}  // namespace d4pg
