#include "core/bench/bench.hpp"

#include <boost/json.hpp>
#include <cstdio>

#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

using bench::Figure, bench::Verdict;

/// Three significant digits.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text,
                value >= 1000  ? "%.0f"
                : value >= 100 ? "%.0f"
                : value >= 10  ? "%.1f"
                               : "%.2f",
                value);
  return text;
}

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

std::string line(const Figure& figure, const Terminal& terminal) {
  const bool limited = std::isfinite(figure.limit);
  std::string out = "  " + padded(figure.name, 50) + padded(number(figure.value) + " " + figure.unit, 18);
  if (limited) out += padded(number(figure.limit), 9) + padded(number(figure.ratio()), 7);
  if (figure.verdict() != Verdict::none) {
    const std::string verdict = bench::name_of(figure.verdict());
    const char* color = figure.verdict() == Verdict::met ? "32" : figure.verdict() == Verdict::near ? "33" : "1;31";
    out += padded(number(figure.budget), 7) + paint(terminal.color_out, color, verdict);
  }
  if (limited) out += "  (" + figure.limit_name + ")";
  return out + "\n";
}

}  // namespace

int run_bench(const Arguments& arguments, const Terminal& terminal) {
  bench::Settings settings;
  settings.brief = arguments.has("short");
  settings.groups = arguments.positional;
  Plugins plugins(std::vector<std::filesystem::path>(arguments.plugin_paths.begin(), arguments.plugin_paths.end()));
  uint64_t missed = 0;
  std::string group;
  bench::measure(plugins, settings, [&](const Figure& figure) {
    missed += figure.verdict() == Verdict::missed;
    if (arguments.json) return print_json(to_json(figure));
    if (group.empty())
      print("  " + padded("figure", 50) + padded("value", 18) + padded("limit", 9) + padded("ratio", 7) + "budget\n");
    if (group != figure.group) print(figure.group + "\n");
    group = figure.group;
    print(line(figure, terminal));
  });
  if (missed == 0 || !arguments.has("check")) return 0;
  throw Error("E0409", Exit::threshold,
              std::to_string(missed) + (missed == 1 ? " figure misses its budget" : " figures miss their budgets"))
      .help("measure again on a machine that does nothing else; share/doc/performance.md explains each figure");
}

}  // namespace spar::host
