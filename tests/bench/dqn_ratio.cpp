// The fused DQN update against the plain LibTorch one, in one program: prints both times and their ratio, and fails
// when the two compute different things or the ratio is below what the project holds itself to. Without AVX-512 there
// is no bound to hold: exit code 77, which ctest counts as skipped.
#include <cmath>
#include <cstdio>
#include <exception>

#include "core/bench/fma_peak.hpp"
#include "core/nn/tier.hpp"
#include "dqn_eager.hpp"

using namespace spar;
using namespace spar::bench;

namespace {

constexpr double kLeastRatio = 8.0;
constexpr int64_t kWidth = 64, kRows = 64;

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0.0, size = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

int measure() {
  const DqnBatch batch = make_batch(kRows);
  FusedDqn fused(kWidth, batch);
  const auto eager = make_eager_dqn(kWidth, batch, fused.values());
  for (int i = 0; i < 20; ++i) {
    fused.update();
    eager->update();
  }
  for (const bool target : {false, true}) {
    const double apart = distance(fused.values(target), eager->values(target));
    if (!(apart < 1e-4)) {
      std::printf("after 20 updates the two sides are %.2e apart, expected less than 1e-4\n", apart);
      return 1;
    }
  }
  constexpr int kFusedTurns = 200, kEagerTurns = 20;
  const double fused_us = 1e6 / kFusedTurns * best_seconds(60, [&] {
                            for (int i = 0; i < kFusedTurns; ++i) fused.update();
                          });
  const double eager_us = 1e6 / kEagerTurns * best_seconds(30, [&] {
                            for (int i = 0; i < kEagerTurns; ++i) eager->update();
                          });
  const double peak = fma_peak_gflops();
  const double limit_us = FusedDqn::flops(kWidth, kRows) / peak * 1e-3;
  const double ratio = eager_us / fused_us;
  std::printf("DQN double-Q update %dx%d, batch %d, kernels %s\n", static_cast<int>(kWidth), static_cast<int>(kWidth),
              static_cast<int>(kRows), nn::active_tier());
  std::printf("fused %.2f us, eager LibTorch %.1f us, ratio %.1f\n", fused_us, eager_us, ratio);
  if (peak > 0.0)
    std::printf("FMA peak %.0f GFLOP/s, limit %.2f us, fused = %.2f limits\n", peak, limit_us, fused_us / limit_us);
  if (std::string_view(nn::active_tier()) != "avx512") return 77;
  if (ratio >= kLeastRatio) return 0;
  std::printf("the ratio is below %.0f\n", kLeastRatio);
  return 1;
}

}  // namespace

int main() {
  try {
    return measure();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
