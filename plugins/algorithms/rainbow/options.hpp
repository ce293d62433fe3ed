// Every knob of Rainbow: those of value learning with Rainbow's defaults, and the support of its distributions.
#pragma once

#include "../value_learning/knobs.hpp"

namespace rainbow {

struct Options : value_learning::Options {
  Options() {
    hidden_layers = {100, 100};
    lr = 1e-3;
    noisy = true;
  }
  double v_min = -10;
  double v_max = 10;
  int64_t num_atoms = 21;
};

inline const spar::Schema<Options>& schema() {
  static const auto instance = [] {
    auto s = value_learning::schema<Options>();
    s.real("v_min", &Options::v_min, {}, "smallest return that the support holds")
        .real("v_max", &Options::v_max, {}, "largest return that the support holds")
        .integer("num_atoms", &Options::num_atoms, spar::between(2, 1001), "atoms of the support, ends included");
    return s;
  }();
  return instance;
}

}  // namespace rainbow
