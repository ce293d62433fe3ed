// Built-in environments behind the C table, as a run steps them.
#include <algorithm>
#include <vector>

#include "core/agent/options.hpp"
#include "core/bench/bench.hpp"
#include "core/bench/fma_peak.hpp"
#include "core/rollout/environment.hpp"

namespace spar::bench {
namespace {

constexpr uint64_t kCopies = 64;
constexpr double kMostNs = 50, kReferencePeak = 218;  // 20 M steps per second on the machine of the budgets

}  // namespace

double step_ns(Plugins& plugins, const std::string& id, int times) {
  plugin::Registry& registry = plugins.registry();
  const auto schema = std::make_shared<const config::Component>(registry.schema(SPAR_KIND_ENV, id));
  std::vector<std::string> warnings;
  const config::Options options = AgentOptions().resolve(schema, warnings);
  const config::ConfigView view(options);
  rollout::Environment environment(*plugins.table().host(), registry.load(SPAR_KIND_ENV, id), *view.get(), kCopies, 1,
                                   "bench/environment");
  rollout::AgentPort& port = environment.agents().front();
  if (port.action.kind == SPAR_SPACE_DISCRETE)
    for (uint64_t i = 0; i < kCopies; ++i) port.in->data<int64_t>(0)[i] = static_cast<int64_t>(i % 2);
  else
    for (uint64_t i = 0; i < kCopies; ++i) port.in->data<float>(0)[i] = i % 2 == 0 ? 0.5f : -0.5f;
  std::vector<uint64_t> seeds(kCopies);
  for (uint64_t i = 0; i < kCopies; ++i) seeds[i] = i;
  environment.reset(nullptr, seeds.data());
  const uint8_t* ended = port.out->data<uint8_t>(port.terminated);
  constexpr int kSteps = 1000;
  const double seconds = best_seconds(times, [&] {
    for (int i = 0; i < kSteps; ++i) {
      environment.step();
      if (std::find(ended, ended + kCopies, 1) != ended + kCopies) environment.reset(ended, nullptr);
    }
  });
  return seconds / kSteps / static_cast<double>(kCopies) * 1e9;
}

void measure_environments(Plugins& plugins, const Settings& settings, const Sink& sink) {
  const double peak = fma_peak_gflops(5);
  for (const char* id : {"CartPole-v1", "Pendulum-v1"}) {
    Figure figure;
    figure.group = "environment";
    figure.name = std::string(id) + " through the C table, 64 copies";
    figure.value = step_ns(plugins, id, settings.brief ? 5 : 20);
    figure.unit = "ns a step";
    if (std::string_view(id) == "CartPole-v1" && std::string_view(nn::active_tier()) == "avx512" && peak > 0) {
      figure.limit = kMostNs * kReferencePeak / peak;
      figure.limit_name = "20 M steps/s, scaled by the FMA peak";
      figure.budget = 1.0;
    }
    sink(figure);
  }
}

}  // namespace spar::bench
