// One double-Q update of DQN: the fused one through the C table against plain LibTorch, beside the limit of the
// machine.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "core/bench/fma_peak.hpp"
#include "core/nn/tier.hpp"
#include "dqn_eager.hpp"

using namespace spar;
using namespace spar::bench;

namespace {

void fma_peak(benchmark::State& state) {
  double best = 0.0;
  for (auto turn : state) best = std::max(best, fma_peak_gflops());
  state.counters["GFLOP/s"] = best;
}

void dqn_fused(benchmark::State& state) {
  const int64_t width = state.range(0), rows = state.range(1);
  const DqnBatch batch = make_batch(rows);
  FusedDqn dqn(width, batch);
  const double limit_us = FusedDqn::flops(width, rows) / fma_peak_gflops() * 1e-3;
  double best = 1e30;
  for (auto turn : state) best = std::min(best, best_seconds(1, [&] { dqn.update(); }));
  state.counters["best_us"] = best * 1e6;
  state.counters["limits"] = best * 1e6 / limit_us;
  state.SetLabel(nn::active_tier());
}

void dqn_eager(benchmark::State& state) {
  const DqnBatch batch = make_batch(state.range(1));
  FusedDqn start(state.range(0), batch);
  const auto dqn = make_eager_dqn(state.range(0), batch, start.values());
  for (auto turn : state) dqn->update();
}

void dqn_ratio(benchmark::State& state) {
  const DqnBatch batch = make_batch(state.range(1));
  FusedDqn fused(state.range(0), batch);
  const auto eager = make_eager_dqn(state.range(0), batch, fused.values());
  double fused_best = 1e30, eager_best = 1e30;
  for (auto turn : state) {
    fused_best = std::min(fused_best, best_seconds(10, [&] { fused.update(); }));
    eager_best = std::min(eager_best, best_seconds(1, [&] { eager->update(); }));
  }
  state.counters["ratio"] = eager_best / fused_best;
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Args({64, 64})->Args({128, 64})->Args({256, 256})->Unit(benchmark::kMicrosecond);
}

}  // namespace

BENCHMARK(fma_peak)->Iterations(3)->Unit(benchmark::kMillisecond);
BENCHMARK(dqn_fused)->Apply(sizes);
BENCHMARK(dqn_eager)->Apply(sizes);
BENCHMARK(dqn_ratio)->Apply(sizes);
BENCHMARK_MAIN();
