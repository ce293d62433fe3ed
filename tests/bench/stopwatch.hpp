// Best of N on the processor time of this thread: what other programs on the machine do leaves it alone.
#pragma once

#include <algorithm>
#include <ctime>

namespace spar::bench {

inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Call>
double best_seconds(int times, Call&& call) {
  double best = 1e30;
  for (int i = 0; i < times; ++i) {
    const double start = thread_seconds();
    call();
    best = std::min(best, thread_seconds() - start);
  }
  return best;
}

}  // namespace spar::bench
