// The main() of a benchmark program: [--check] [--short].
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>

namespace spar::bench {

/// measure(brief) answers how many figures were lost; words are looked at from number `first` on. With --check such
/// figures end the program with 4; what measure() throws ends it with 1.
template <class Measure>
int bench_main(int argc, char** argv, Measure&& measure, int first = 1) {
  try {
    bool check = false, brief = false;
    for (int i = first; i < argc; ++i) {
      check = check || std::strcmp(argv[i], "--check") == 0;
      brief = brief || std::strcmp(argv[i], "--short") == 0;
    }
    const uint64_t lost = measure(brief);
    return check && lost > 0 ? 4 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace spar::bench
