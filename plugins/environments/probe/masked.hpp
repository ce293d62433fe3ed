// Two steps; at each of them one of the n actions, drawn anew, is forbidden. The second step pays the number of the
// action. The mask is no part of the observation (0, then 1), so Q of the second step is the action, and what follows
// the first is worth the best action that is allowed on average: V = n - 1 - 1/n, Q of the first step = g V. Whoever
// forgets the next mask learns g (n - 1). A forbidden action pays -100.
#pragma once

#include <algorithm>

#include "spar/environment.hpp"

namespace spar::probe {

struct Masked : Environment {
  static constexpr const char *id = "org.spar.probe/masked", *version = "1.0.0",
                              *title = "Actions of which one is forbidden";
  struct Config {
    int64_t n = 3;
  };
  static const Schema<Config>& schema() {
    static const auto instance =
        Schema<Config>().integer("n", &Config::n, between(2, 1000), "number of actions, one of them forbidden");
    return instance;
  }
  struct State {
    int64_t steps, forbidden;
  };
  using Action = int64_t;

  explicit Masked(const Config& config) : n_(config.n) {}

  World world() const { return {Space::box({0}, {2}), Space::discrete(n_)}; }
  void reset(State& s, NumpyRandom& random) const { s = {0, random.integers(n_)}; }
  Outcome step(State& s, Action action, NumpyRandom& random) const {
    const double reward = action == s.forbidden ? -100.0 : s.steps == 1 ? static_cast<double>(action) : 0.0;
    s = {s.steps + 1, random.integers(n_)};
    return {reward, s.steps == 2};
  }
  void observe(const State& s, float* obs) const { obs[0] = static_cast<float>(s.steps); }
  void action_mask(const State& s, size_t /*agent*/, uint8_t* mask) const {
    std::fill_n(mask, n_, s.steps < 2 ? uint8_t{1} : uint8_t{0});
    mask[s.forbidden] = 0;
  }
  bool valid(const State& s) const { return s.steps >= 0 && s.steps <= 2 && s.forbidden >= 0 && s.forbidden < n_; }

 private:
  int64_t n_;
};

}  // namespace spar::probe
