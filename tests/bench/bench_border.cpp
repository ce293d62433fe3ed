// bench_border [--check] [--short]: a whole run of DQN in CartPole through plugins that were opened, against the same
// run with their sources compiled into this program. Both sides make the same calls of the same tables; what the border
// adds is all that a shared object costs: its loading, calls and data through its own tables of addresses, and what the
// linker could have moved together. Both compute the same parameters, or it fails.
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "bench_main.hpp"
#include "core/bench/bench.hpp"
#include "core/bench/table.hpp"
#include "core/bench/whole_run.hpp"

// The entries of the plugins, renamed where they are compiled (CMakeLists.txt).
extern "C" const spar_plugin* spar_bench_entry_dqn(uint32_t);
extern "C" const spar_plugin* spar_bench_entry_classic(uint32_t);
extern "C" const spar_plugin* spar_bench_entry_independent(uint32_t);

using namespace spar;
using namespace spar::bench;

namespace {

const spar_component& component_of(uint32_t kind, std::string_view id) {
  for (const auto entry : {spar_bench_entry_dqn, spar_bench_entry_classic, spar_bench_entry_independent}) {
    const spar_plugin& plugin = *entry(SPAR_ABI_VERSION);
    for (uint32_t i = 0; i < plugin.n_components; ++i)
      if (plugin.components[i]->kind == kind && plugin.components[i]->id == id) return *plugin.components[i];
  }
  throw std::runtime_error("the component `" + std::string(id) + "` is not part of this program");
}

/// Best of several, in turn: what else runs on the machine meets both. How many figures were lost.
uint64_t border_of_runs(bool brief) {
  const uint64_t steps = brief ? 5'000 : 20'000;
  const std::vector<std::string> assignments = {
      "env.id=CartPole-v1",      "algorithm.id=dqn",        "algorithm.hidden_layers=[64,64]",
      "algorithm.n_steps=1",     "algorithm.dueling=false", "algorithm.prioritized=false",
      "algorithm.warm_up=64",    "algorithm.batch_size=64", "algorithm.buffer_size=20_000",
      "algorithm.update_freq=1", stop_after(steps)};
  Plugins plugins({SPAR_BUILD_DIR "/lib/spar/plugins"});
  RunOptions here;
  here.load = [](uint32_t kind, std::string_view id) -> const spar_component& { return component_of(kind, id); };
  double opened = 1e30, linked = 1e30;
  for (int i = 0; i < (brief ? 8 : 20); ++i) {
    const Run through = whole_run(plugins, assignments), direct = whole_run(plugins, assignments, here);
    if (through.parameters_sha256 != direct.parameters_sha256)
      throw std::runtime_error("the plugins and their sources in this program learn different parameters");
    opened = std::min(opened, through.seconds);
    linked = std::min(linked, direct.seconds);
  }
  const Figure figure{.group = "border",
                      .name = "dqn CartPole-v1, " + std::to_string(steps) + " steps, plugins opened",
                      .value = opened,
                      .unit = "s",
                      .limit = linked,
                      .limit_name = "linked into the program",
                      .budget = 1.02};
  std::fputs((table_head() + table_line(figure)).c_str(), stdout);
  return figure.lost() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) { return bench_main(argc, argv, border_of_runs); }
