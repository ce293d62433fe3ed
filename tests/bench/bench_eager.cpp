// bench_eager [--check] [--short]: whole updates through the plugins against the plain LibTorch ones, in one program.
#include <cstdio>
#include <cstring>
#include <exception>

#include "core/bench/bench.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/bench/table.hpp"
#include "dqn_eager.hpp"
#include "sac_eager.hpp"

using namespace spar;
using namespace spar::bench;

namespace {

struct Case {
  const char* algorithm;
  int64_t width, rows;
  double budget;  ///< of fused / eager
};

constexpr Case kCases[] = {
    {"dqn", 64, 64, 1.0 / 13}, {"dqn", 256, 256, 1.0}, {"sac", 64, 100, 1.0 / 9}, {"sac", 256, 256, 1.0 / 2}};

double eager_us(const Case& one, int times) {
  if (std::strcmp(one.algorithm, "sac") == 0) {
    const auto sac = make_eager_sac(one.width, one.rows);
    return best_seconds(times, [&] { sac->update(); }) * 1e6;
  }
  const DqnBatch batch = make_batch(one.rows);
  FusedDqn start(one.width, batch);
  const auto dqn = make_eager_dqn(one.width, batch, start.values());
  return best_seconds(times, [&] { dqn->update(); }) * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool check = false, brief = false;
    for (int i = 1; i < argc; ++i) {
      check = check || std::strcmp(argv[i], "--check") == 0;
      brief = brief || std::strcmp(argv[i], "--short") == 0;
    }
    Plugins plugins({SPAR_BUILD_DIR "/lib/spar/plugins"});
    uint64_t lost = 0;
    std::fputs(table_head().c_str(), stdout);
    for (const Case& one : kCases) {
      const std::string width = std::to_string(one.width), rows = std::to_string(one.rows);
      const bool dqn = std::strcmp(one.algorithm, "dqn") == 0;
      Figure figure;
      figure.group = "eager";
      figure.name = std::string(one.algorithm) + " " + width + "x" + width + ", batch " + rows;
      figure.unit = "us";
      figure.value =
          update_us(plugins, one.algorithm,
                    "hidden_layers = [" + width + ", " + width + "]\nprioritized = false\nbatch_size = " + rows +
                        (dqn ? "\nn_steps = 1\ndueling = false" : ""),
                    dqn, brief ? 30 : 100, 10'000);
      figure.limit = eager_us(one, brief ? 100 : 400);
      figure.limit_name = "E, plain LibTorch";
      figure.budget = one.budget;
      figure.held = 1.3 * one.budget;
      lost += figure.lost();
      std::fputs(table_line(figure).c_str(), stdout);
    }
    return check && lost > 0 ? 4 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
