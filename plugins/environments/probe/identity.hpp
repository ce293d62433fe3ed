// Repeat the observation. It is drawn anew for each step and does not depend on the actions; the host's time limit ends
// the episode.
//
// Discrete: one of n symbols, shown one-hot; reward 1 for the right one, else 0. Continuous: n numbers, uniform in
// [-1, 1]; reward 1 - the mean absolute error, so 90 in 100 steps mean an error of 0.1.
#pragma once

#include <algorithm>
#include <cmath>

#include "spar/environment.hpp"

namespace spar::probe {

struct Identity : Environment {
  static constexpr const char *id = "org.spar.probe/identity", *version = "1.0.0",
                              *title = "Repeat the observed symbol";
  static constexpr uint32_t kFlags = 0;
  struct Config {
    int64_t n = 4, length = 100;
  };
  static const Schema<Config>& schema() {
    static const auto instance = Schema<Config>()
                                     .integer("n", &Config::n, between(2, 1000), "number of symbols")
                                     .integer("length", &Config::length, at_least(1), "steps per episode");
    return instance;
  }
  struct State {
    int64_t symbol;
  };
  using Action = int64_t;

  explicit Identity(const Config& config) : config_(config) {}

  World world() const {
    return {Space::box(config_.n, 0, 1), Space::discrete(config_.n), static_cast<uint64_t>(config_.length)};
  }
  void reset(State& s, NumpyRandom& random) const { s.symbol = random.integers(config_.n); }
  Outcome step(State& s, Action action, NumpyRandom& random) const {
    const bool right = action == s.symbol;
    reset(s, random);
    return {right ? 1.0 : 0.0, false};
  }
  void observe(const State& s, float* obs) const {
    std::fill_n(obs, config_.n, 0.0F);
    obs[s.symbol] = 1;
  }
  bool valid(const State& s) const { return s.symbol >= 0 && s.symbol < config_.n; }

 private:
  Config config_;
};

struct IdentityContinuous : Environment {
  static constexpr const char *id = "org.spar.probe/identity_continuous", *version = "1.0.0",
                              *title = "Repeat the observed numbers";
  static constexpr uint32_t kFlags = 0;
  static constexpr int64_t kMost = 8;
  struct Config {
    int64_t n = 1, length = 100;
  };
  static const Schema<Config>& schema() {
    static const auto instance = Schema<Config>()
                                     .integer("n", &Config::n, between(1, kMost), "how many numbers")
                                     .integer("length", &Config::length, at_least(1), "steps per episode");
    return instance;
  }
  struct State {
    float numbers[kMost];
  };
  using Action = const float*;

  explicit IdentityContinuous(const Config& config) : config_(config) {}

  World world() const {
    return {Space::box(config_.n, -1, 1), Space::box(config_.n, -1, 1), static_cast<uint64_t>(config_.length)};
  }
  void reset(State& s, NumpyRandom& random) const {
    for (int64_t i = 0; i < config_.n; ++i) s.numbers[i] = static_cast<float>(random.uniform(-1, 1));
  }
  Outcome step(State& s, Action action, NumpyRandom& random) const {
    double error = 0;
    for (int64_t i = 0; i < config_.n; ++i) error += std::fabs(static_cast<double>(action[i]) - s.numbers[i]);
    reset(s, random);
    return {1.0 - error / static_cast<double>(config_.n), false};
  }
  void observe(const State& s, float* obs) const { std::copy_n(s.numbers, config_.n, obs); }

 private:
  Config config_;
};

}  // namespace spar::probe
