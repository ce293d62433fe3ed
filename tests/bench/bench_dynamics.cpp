// bench_dynamics [--check] [--short]: the dynamics of built-in environments alone, their sources compiled into this
// program, beside the same steps through the plugin's table as a run makes them.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "bench_main.hpp"
#include "core/bench/bench.hpp"
#include "core/bench/fma_peak.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/bench/table.hpp"
#include "plugins/environments/classic/cart_pole.hpp"
#include "plugins/environments/classic/pendulum.hpp"

using namespace spar;
using namespace spar::bench;

namespace {

constexpr size_t kCopies = 64;
constexpr int kSteps = 1'000;
constexpr double kMostNs = 20, kReferencePeak = 218;  // 50 M steps per second on the machine of the budgets

/// Nanoseconds of one step of one copy: dynamics, observation, reward, end, and the resets that are due.
template <class E>
double raw_ns(int times) {
  const E model{};
  std::vector<typename E::State> states(kCopies);
  std::vector<NumpyRandom> randoms;
  std::vector<float> obs(kCopies * model.world().agents[0].obs.width()), reward(kCopies);
  std::vector<uint8_t> terminated(kCopies);
  std::vector<Outcome> outcomes(kCopies);
  std::vector<int64_t> choice(kCopies);
  std::vector<float> force(kCopies);
  for (size_t i = 0; i < kCopies; ++i) {
    choice[i] = static_cast<int64_t>(i % 2);
    force[i] = i % 2 == 0 ? 0.5f : -0.5f;
    randoms.emplace_back(i);
    model.reset(states[i], randoms[i]);
  }
  const size_t width = obs.size() / kCopies;
  const double seconds = best_seconds(times, [&] {
    for (int step = 0; step < kSteps; ++step) {
      if constexpr (detail::has_step_all<E>::value)
        model.step_all(states.data(), choice.data(), outcomes.data(), randoms.data(), kCopies);
      else
        for (size_t i = 0; i < kCopies; ++i) outcomes[i] = model.step(states[i], &force[i], randoms[i]);
      for (size_t i = 0; i < kCopies; ++i) {
        reward[i] = static_cast<float>(outcomes[i].reward);
        terminated[i] = outcomes[i].terminated;
        model.observe(states[i], &obs[i * width]);
      }
      for (size_t i = 0; i < kCopies; ++i) {
        if (!terminated[i]) continue;
        model.reset(states[i], randoms[i]);
        model.observe(states[i], &obs[i * width]);
      }
      asm volatile("" : : "r"(obs.data()), "r"(reward.data()) : "memory");
    }
  });
  return seconds / kSteps / kCopies * 1e9;
}

uint64_t lost = 0;

void put(const char* id, double raw, double through, double peak) {
  Figure figure;
  figure.group = "environment";
  figure.name = std::string(id) + ", 64 copies, the dynamics alone";
  figure.value = raw;
  figure.unit = "ns a step";
  if (std::strcmp(id, "CartPole-v1") == 0 && std::string_view(nn::active_tier()) == "avx512" && peak > 0) {
    figure.limit = kMostNs * kReferencePeak / peak;
    figure.limit_name = "50 M steps/s, scaled by the FMA peak";
    figure.budget = 1.0;
  }
  lost += figure.lost();
  std::fputs(table_line(figure).c_str(), stdout);
  figure.name = std::string(id) + ", 64 copies, through the C table";
  figure.value = through;
  figure.limit = raw;
  figure.limit_name = "the dynamics alone";
  figure.budget = NAN;
  std::fputs(table_line(figure).c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  return bench_main(argc, argv, [&](bool brief) -> uint64_t {
    const int times = brief ? 20 : 100;
    Plugins plugins({SPAR_BUILD_DIR "/lib/spar/plugins"});
    const double peak = fma_peak_gflops();
    std::fputs(table_head().c_str(), stdout);
    put("CartPole-v1", raw_ns<classic::CartPoleV1>(times), step_ns(plugins, "CartPole-v1", times), peak);
    put("Pendulum-v1", raw_ns<classic::Pendulum>(times), step_ns(plugins, "Pendulum-v1", times), peak);
    return lost;
  });
}
