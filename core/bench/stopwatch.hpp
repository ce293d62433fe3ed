// Best of N on processor time: what other programs on the machine do leaves it alone, apart from the caches.
#pragma once

#include <algorithm>
#include <ctime>

namespace spar::bench {

inline double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
/// Of this thread.
inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
/// Of all threads of the program together.
inline double process_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

/// By the clock on the wall: where several threads work together.
inline double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }

template <class Call>
double best_seconds(int times, Call&& call, double (*clock)() = thread_seconds) {
  double best = 1e30;
  for (int i = 0; i < times; ++i) {
    const double start = clock();
    call();
    best = std::min(best, clock() - start);
  }
  return best;
}

}  // namespace spar::bench
