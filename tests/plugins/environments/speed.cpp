// Steps per second of each classic environment through the function table, same-step reset included.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "plugins/environments/environment_copies.hpp"

using namespace spar::test;

namespace {

/// Seconds for `steps` calls of step(), rows that ended being reset after each. Best of three.
double measure(EnvironmentCopies& copies, uint64_t rows, int steps) {
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    copies.reset_all(1);
    spar_env_io& io = copies.io(true);
    spar_error error{};
    error.struct_size = sizeof error;
    const auto* ended = &copies.terminated();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
      if (copies.table().step(copies.handle(), &io, &error) < 0) std::abort();
      bool any = false;
      for (uint64_t row = 0; row < rows; ++row) any = any || ended[row];
      if (any && copies.table().reset(copies.handle(), ended, nullptr, &io, &error) < 0) std::abort();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

}  // namespace

int main() {
  std::printf("%-26s %6s %14s %10s\n", "environment", "copies", "steps/s", "ns/step");
  for (const char* id : {"CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1", "Pendulum-v1"}) {
    for (const uint64_t rows : {1, 8, 64, 1024}) {
      EnvironmentCopies copies(environment_component("classic", std::string("org.spar.classic/") + id), rows);
      for (uint64_t row = 0; row < rows; ++row) {
        if (copies.agent().act->kind == SPAR_SPACE_DISCRETE)
          copies.discrete(row) = static_cast<int64_t>(row % 2);
        else
          copies.box(row)[0] = row % 2 ? 0.5F : -0.5F;
      }
      const int steps = static_cast<int>(4'000'000 / rows);
      const double seconds = measure(copies, rows, steps);
      const double total = static_cast<double>(steps) * static_cast<double>(rows);
      std::printf("%-26s %6llu %14.3g %10.1f\n", id, static_cast<unsigned long long>(rows), total / seconds,
                  1e9 * seconds / total);
    }
  }
  return EXIT_SUCCESS;
}
