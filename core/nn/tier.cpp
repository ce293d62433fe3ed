#include "core/nn/tier.hpp"

#include <atomic>
#include <cstdlib>
#include <string>

#include "core/base/error.hpp"
#include "core/nn/kernel_tables.hpp"

namespace spar::nn {
namespace {

std::atomic<const Kernels*> chosen{nullptr};

const Kernels* table(Tier tier) {
  switch (tier) {
    case Tier::baseline:
      return &kernels_baseline;
#if defined(__x86_64__)
    case Tier::avx2:
      return &kernels_avx2;
    case Tier::avx512:
      return &kernels_avx512;
#endif
    default:
      return nullptr;
  }
}

Tier best() {
  for (const Tier tier : {Tier::avx512, Tier::avx2})
    if (tier_available(tier)) return tier;
  return Tier::baseline;
}

}  // namespace

bool tier_available(Tier tier) {
  if (tier == Tier::baseline) return true;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (tier == Tier::avx2) return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

Tier tier_from_name(std::string_view name) {
  for (const Tier tier : {Tier::baseline, Tier::avx2, Tier::avx512}) {
    const Kernels* kernel = table(tier);
    if (kernel == nullptr || kernel->name != name) continue;
    if (tier_available(tier)) return tier;
    throw Error("E0402", Exit::usage,
                "SPAR_CPU asks for " + std::string(name) + " kernels, which this processor does not offer; it offers " +
                    table(best())->name + ": unset SPAR_CPU or choose a lower tier");
  }
  throw Error("E0402", Exit::usage, "SPAR_CPU is `" + std::string(name) + "`, expected baseline, avx2 or avx512");
}

const Kernels& kernels() {
  const Kernels* now = chosen.load(std::memory_order_acquire);
  if (now == nullptr) {
    const char* wish = std::getenv("SPAR_CPU");
    now = table(wish != nullptr && *wish != '\0' ? tier_from_name(wish) : best());
    chosen.store(now, std::memory_order_release);
  }
  return *now;
}

const char* active_tier() { return kernels().name; }

void set_tier(Tier tier) {
  if (!tier_available(tier))
    throw Error(
        "E0402", Exit::usage,
        "this processor does not offer the tier asked for; the best it has is " + std::string(table(best())->name));
  chosen.store(table(tier), std::memory_order_release);
}

}  // namespace spar::nn
