#include "core/bench/simulator.hpp"

#include "core/config/schema.hpp"
#include "spar/environment.hpp"
#include "spar/plugin.hpp"

namespace spar::bench {
namespace {

struct Simulator : Environment {
  static constexpr const char *id = "bench/simulator", *version = "1.0.0", *title = "Slow simulator";
  struct State {
    double x[4];
  };
  using Action = int64_t;

  World world() const { return {Space::box({-10, -10, -10, -10}, {10, 10, 10, 10}), Space::discrete(2), 200}; }
  void reset(State& s, NumpyRandom& random) const {
    for (double& x : s.x) x = random.uniform(-0.05, 0.05);
  }
  /// A chain of operations of which each waits for the one before.
  Outcome step(State& s, Action a, NumpyRandom&) const {
    double force = a == 1 ? 0.1 : -0.1;
    for (int i = 0; i < kOperations; ++i) force = force * 0.999 + 1e-3 * s.x[i & 3];
    s.x[0] = 0.9 * s.x[0] + 0.05 * force;
    s.x[1] = 0.9 * s.x[1] + 0.05 * s.x[0];
    return {1.0 - s.x[0] * s.x[0], false};
  }
  void observe(const State& s, float* obs) const {
    for (int i = 0; i < 4; ++i) obs[i] = static_cast<float>(s.x[i]);
  }

  static constexpr int kOperations = 8'000;
};

}  // namespace

RunOptions with_simulator(Plugins& plugins, uint32_t threads) {
  static const spar_component* const component = detail::component<Simulator>();
  const auto is_it = [](uint32_t kind, std::string_view id) { return kind == SPAR_KIND_ENV && id == Simulator::id; };
  RunOptions options;
  options.threads = threads;
  options.load = [is_it, load = train::loader_in(plugins.registry())](uint32_t kind,
                                                                      std::string_view id) -> const spar_component& {
    return is_it(kind, id) ? *component : load(kind, id);
  };
  options.lookup = [is_it, lookup = train::lookup_in(plugins.registry())](uint32_t kind, std::string_view id,
                                                                          const Place& place) {
    return is_it(kind, id) ? std::make_shared<const config::Component>(config::copy_component(*component))
                           : lookup(kind, id, place);
  };
  return options;
}

}  // namespace spar::bench
