// Cells in a row. The agent starts in the first one and each step costs 1 until it stands in the last one, so the best
// return is 1 - cells.
#include "spar/environment.hpp"
#include "spar/plugin.hpp"

namespace {

struct Corridor : spar::Environment {
  static constexpr const char *id = "org.example/Corridor-v0", *version = "1.0.0", *title = "Walk to the last cell";
  struct Config {
    int64_t cells = 8;
  };
  static const spar::Schema<Config>& schema() {
    static const auto instance =
        spar::Schema<Config>().integer("cells", &Config::cells, spar::between(2, 64), "length of the corridor");
    return instance;
  }
  struct State {
    int64_t cell;
  };
  using Action = int64_t;  // 0: left, 1: right

  explicit Corridor(const Config& config) : last_(config.cells - 1) {}

  spar::World world() const { return {spar::Space::box({0}, {1}), spar::Space::discrete(2), 100}; }
  void reset(State& s, spar::NumpyRandom& /*random*/) const { s.cell = 0; }
  spar::Outcome step(State& s, Action action, spar::NumpyRandom& /*random*/) const {
    if (action == 1) s.cell += 1;
    if (action == 0 && s.cell > 0) s.cell -= 1;
    return {-1.0, s.cell == last_};
  }
  void observe(const State& s, float* obs) const { obs[0] = static_cast<float>(s.cell) / static_cast<float>(last_); }
  bool valid(const State& s) const { return s.cell >= 0 && s.cell <= last_; }

 private:
  int64_t last_;
};

}  // namespace

SPAR_PLUGIN("org.example.corridor", "1.0.0", Corridor)
