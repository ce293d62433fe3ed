// Cells in a row; the last one ends the episode with reward 1. Action 0 goes left (and stays in the first cell), action
// 1 goes right. The start is any cell but the last. Observation: one number per cell, 1 where the agent is. With
// discount g and d steps to the goal, Q(right) = g^(d-1), Q(left) = g^(d+1), in the first cell g^d.
#pragma once

#include <algorithm>

#include "spar/environment.hpp"

namespace spar::probe {

struct Corridor : Environment {
  static constexpr const char *id = "org.spar.probe/corridor", *version = "1.0.0",
                              *title = "Corridor with a terminal reward";
  struct Config {
    int64_t cells = 5;
  };
  static const Schema<Config>& schema() {
    static const auto instance = Schema<Config>().integer("cells", &Config::cells, between(2, 1000),
                                                          "length of the corridor, the goal included");
    return instance;
  }
  struct State {
    int64_t cell;
  };
  using Action = int64_t;

  explicit Corridor(const Config& config) : cells_(config.cells) {}

  /// The limit only keeps an agent that never goes right from running for ever.
  World world() const { return {Space::box(cells_, 0, 1), Space::discrete(2), static_cast<uint64_t>(20 * cells_)}; }
  void reset(State& s, NumpyRandom& random) const { s.cell = random.integers(cells_ - 1); }
  Outcome step(State& s, Action action, NumpyRandom& /*random*/) const {
    s.cell = std::clamp<int64_t>(s.cell + (action == 1 ? 1 : -1), 0, cells_ - 1);
    const bool goal = s.cell == cells_ - 1;
    return {goal ? 1.0 : 0.0, goal};
  }
  void observe(const State& s, float* obs) const {
    std::fill_n(obs, cells_, 0.0F);
    obs[s.cell] = 1;
  }
  bool valid(const State& s) const { return s.cell >= 0 && s.cell < cells_; }

 private:
  int64_t cells_;
};

}  // namespace spar::probe
