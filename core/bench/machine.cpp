// What the machine gives: multiply-adds, memory bandwidth, random access.
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/bench/bench.hpp"
#include "core/bench/fma_peak.hpp"

namespace spar::bench {
namespace {

constexpr size_t kBytes = size_t{256} << 20;  // beyond every cache
constexpr size_t kLine = 64;

double read_gigabytes_per_second(const std::vector<uint64_t>& memory, int times) {
  uint64_t kept = 0;
  const double seconds = best_seconds(times, [&] {
    uint64_t sum[8] = {};
    for (size_t i = 0; i < memory.size(); i += 8)
      for (size_t k = 0; k < 8; ++k) sum[k] += memory[i + k];
    for (const uint64_t part : sum) kept += part;
  });
  asm volatile("" : : "r"(kept));
  return static_cast<double>(kBytes) / seconds * 1e-9;
}

double copy_gigabytes_per_second(std::vector<uint64_t>& memory, int times) {
  constexpr size_t kHalf = kBytes / 2;
  const double seconds =
      best_seconds(times, [&] { std::memcpy(memory.data(), memory.data() + kHalf / sizeof(uint64_t), kHalf); });
  return static_cast<double>(kHalf) / seconds * 1e-9;
}

/// Reads of cache lines that do not wait for each other.
double random_line_ns(const std::vector<uint64_t>& memory, int times) {
  constexpr uint64_t kReads = 1 << 16;
  constexpr uint64_t kLines = kBytes / kLine;
  uint64_t kept = 0, place = 1;
  const double seconds = best_seconds(times, [&] {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < kReads; ++i) {
      place = place * 6364136223846793005u + 1442695040888963407u;  // Knuth's generator
      sum += memory[(place >> 32) % kLines * (kLine / sizeof(uint64_t))];
    }
    kept += sum;
  });
  asm volatile("" : : "r"(kept));
  return seconds / static_cast<double>(kReads) * 1e9;
}

}  // namespace

void measure_machine(const Settings& settings, const Sink& sink) {
  const int times = settings.brief ? 3 : 8;
  const auto put = [&](std::string name, double value, std::string unit) {
    sink({.group = "machine", .name = std::move(name), .value = value, .unit = std::move(unit)});
  };
  put(std::string("FMA peak of one core, ") + nn::active_tier(), fma_peak_gflops(), "GFLOP/s");
  std::vector<uint64_t> memory(kBytes / sizeof(uint64_t), 1);
  put("memory, sequential read", read_gigabytes_per_second(memory, times), "GB/s");
  put("memory, copy", copy_gigabytes_per_second(memory, times), "GB/s");
  put("memory, random cache line in 256 MB", random_line_ns(memory, times), "ns");
}

}  // namespace spar::bench
