#include "core/bench/bench.hpp"

#include <boost/json.hpp>

#include "core/bench/table.hpp"
#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {
namespace {

using bench::Figure, bench::Verdict;

boost::json::object to_json(const Figure& figure) {
  boost::json::object out = {{"event", "figure"},
                             {"group", figure.group},
                             {"name", figure.name},
                             {"value", figure.value},
                             {"unit", figure.unit}};
  if (std::isfinite(figure.limit)) {
    out["limit"] = figure.limit;
    out["limit_name"] = figure.limit_name;
    out["ratio"] = figure.ratio();
  }
  if (figure.verdict() != Verdict::none) {
    out["budget"] = figure.budget;
    out["verdict"] = bench::name_of(figure.verdict());
  }
  return out;
}

}  // namespace

int run_bench(const Arguments& arguments, const Terminal&) {
  bench::Settings settings;
  settings.brief = arguments.has("short");
  settings.groups = arguments.positional;
  Plugins plugins(std::vector<std::filesystem::path>(arguments.plugin_paths.begin(), arguments.plugin_paths.end()));
  uint64_t lost = 0;
  std::string group;
  bench::measure(plugins, settings, [&](const Figure& figure) {
    lost += figure.lost();
    if (arguments.json) return print_json(to_json(figure));
    if (group.empty()) print(bench::table_head());
    if (group != figure.group) print(figure.group + "\n");
    group = figure.group;
    print(bench::table_line(figure));
  });
  if (lost == 0 || !arguments.has("check")) return 0;
  throw Error("E0409", Exit::threshold,
              std::to_string(lost) +
                  (lost == 1 ? " figure is worse than it has to be" : " figures are worse than they have to be"))
      .help("measure again on a machine that does nothing else; share/doc/performance.md explains each figure");
}

}  // namespace spar::host
