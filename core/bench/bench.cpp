#include "core/bench/bench.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace spar::bench {
namespace {

struct Group {
  std::string name;
  void (*run)(Plugins&, const Settings&, const Sink&);
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"machine", [](Plugins&, const Settings& s, const Sink& sink) { measure_machine(s, sink); }},
      {"kernels", [](Plugins&, const Settings& s, const Sink& sink) { measure_kernels(s, sink); }},
      {"update", measure_updates},
      {"replay", [](Plugins&, const Settings& s, const Sink& sink) { measure_replay(s, sink); }},
      {"environment", measure_environments},
      {"border", [](Plugins&, const Settings& s, const Sink& sink) { measure_border(s, sink); }},
      {"training", measure_training},
      {"threads", measure_threads},
      {"growth", measure_growth}};
  return all;
}

}  // namespace

const std::vector<std::string>& group_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Group& group : groups()) out.push_back(group.name);
    return out;
  }();
  return names;
}

void measure(Plugins& plugins, const Settings& settings, const Sink& sink) {
  for (const std::string& name : settings.groups) {
    if (std::ranges::find(group_names(), name) != group_names().end()) continue;
    throw Error("E0403", Exit::usage, "there is no group of benchmarks `" + printable(name) + "`")
        .help("groups: " + listing(group_names()));
  }
  for (const Group& group : groups()) {
    if (!settings.groups.empty() && std::ranges::find(settings.groups, group.name) == settings.groups.end()) continue;
    group.run(plugins, settings, sink);
  }
}

}  // namespace spar::bench
