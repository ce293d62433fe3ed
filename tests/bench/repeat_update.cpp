// repeat_update [NAME TIMES]: one of the updates of `spar bench update`, again and again, for counting instructions;
// alone it lists the names.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "core/bench/bench.hpp"

int main(int argc, char** argv) {
  try {
    if (argc == 1) {
      for (const auto& name : spar::bench::update_names()) std::printf("%s\n", name.c_str());
      return 0;
    }
    spar::Plugins plugins({SPAR_BUILD_DIR "/lib/spar/plugins"});
    spar::bench::repeat_update(plugins, argv[1], argc > 2 ? std::atoi(argv[2]) : 1);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
