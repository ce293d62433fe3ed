// The environment that the SDK's documentation shows.
#pragma once

#include "spar/environment.hpp"

struct Walk : spar::Environment {
  static constexpr const char *id = "org.example.walk", *version = "1.0.0", *title = "Random walk";
  struct State {
    int64_t cell;
  };
  using Action = int64_t;

  spar::World world() const { return {spar::Space::box({0}, {9}), spar::Space::discrete(2), 100}; }
  void reset(State& s, spar::NumpyRandom& random) const { s.cell = random.integers(9); }
  spar::Outcome step(State& s, Action a, spar::NumpyRandom&) const {
    s.cell += a == 1 ? 1 : -1;
    return {s.cell == 9 ? 1.0 : 0.0, s.cell == 9 || s.cell < 0};
  }
  void observe(const State& s, float* obs) const { obs[0] = static_cast<float>(s.cell); }
};
