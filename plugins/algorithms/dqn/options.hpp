// Every knob of DQN: those of value learning, and its loss.
#pragma once

#include "../value_learning/knobs.hpp"

namespace dqn {

struct Options : value_learning::Options {
  std::string loss = "huber";
};

inline const spar::Schema<Options>& schema() {
  static const auto instance = [] {
    auto s = value_learning::schema<Options>();
    s.text("loss", &Options::loss, {"huber", "mse"}, "loss of one temporal difference");
    return s;
  }();
  return instance;
}

}  // namespace dqn
