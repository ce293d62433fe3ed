// bench_eager [--check] [--short]: whole updates through the plugins, and with losses in LibTorch on networks of the
// host, against the plain LibTorch ones, in one program.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "bench_main.hpp"
#include "core/bench/bench.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/bench/table.hpp"
#include "dqn_eager.hpp"
#include "sac_eager.hpp"
#include "torch_hosted.hpp"

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

/// A loss in LibTorch on networks of the host, whose budget holds for small networks.
constexpr Case kHosted[] = {{"dqn", 64, 64, 1.0 / 2.5}, {"sac", 64, 100, 1.0 / 2.5}};

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

/// Of DQN also checks that it computes what plain LibTorch does.
double hosted_us(Plugins& plugins, const Case& one, int times) {
  if (std::strcmp(one.algorithm, "sac") == 0) {
    const auto sac = make_hosted_sac(plugins, one.width, one.rows);
    return best_seconds(times, [&] { sac->update(); }) * 1e6;
  }
  const DqnBatch batch = make_batch(one.rows);
  FusedDqn start(one.width, batch);
  const auto dqn = make_hosted_dqn(plugins, one.width, batch, start.values());
  const auto eager = make_eager_dqn(one.width, batch, start.values());
  for (int i = 0; i < 20; ++i) {
    dqn->update();
    eager->update();
  }
  for (const bool target : {false, true})
    if (!(distance(dqn->values(target), eager->values(target)) < 1e-4))
      throw std::runtime_error("the hosted DQN computes something else than plain LibTorch");
  return best_seconds(times, [&] { dqn->update(); }) * 1e6;
}

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
  return bench_main(argc, argv, [&](bool brief) -> uint64_t {
    Plugins plugins({SPAR_BUILD_DIR "/lib/spar/plugins"});
    uint64_t lost = 0;
    std::fputs(table_head().c_str(), stdout);
    const auto size_of = [](const Case& one) {
      const std::string width = std::to_string(one.width);
      return width + "x" + width + ", batch " + std::to_string(one.rows);
    };
    const auto put = [&](Figure& figure, const Case& one) {
      figure.group = "eager";
      figure.unit = "us";
      figure.limit = eager_us(one, brief ? 100 : 400);
      figure.limit_name = "E, plain LibTorch";
      figure.budget = one.budget;
      figure.held = 1.3 * one.budget;
      lost += figure.lost();
      std::fputs(table_line(figure).c_str(), stdout);
    };
    for (const Case& one : kCases) {
      const std::string width = std::to_string(one.width), rows = std::to_string(one.rows);
      const bool dqn = std::strcmp(one.algorithm, "dqn") == 0;
      Figure figure;
      figure.name = std::string(one.algorithm) + " " + size_of(one);
      figure.value =
          update_us(plugins, one.algorithm,
                    "hidden_layers = [" + width + ", " + width + "]\nprioritized = false\nbatch_size = " + rows +
                        (dqn ? "\nn_steps = 1\ndueling = false" : ""),
                    dqn, brief ? 30 : 100, 10'000);
      put(figure, one);
    }
    for (const Case& one : kHosted) {
      Figure figure;
      figure.name = std::string(one.algorithm) + " " + size_of(one) + ", a loss in LibTorch";
      figure.value = hosted_us(plugins, one, brief ? 100 : 400);
      put(figure, one);
    }
    return lost;
  });
}
