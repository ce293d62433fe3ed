#include "core/bench/table.hpp"

#include <cstdio>

namespace spar::bench {
namespace {

/// Three digits that count.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value);
  return text;
}

std::string row(const std::string& name, const std::string& value, const std::string& limit, const std::string& ratio,
                const std::string& budget, const std::string& verdict, const std::string& what) {
  char text[256];
  std::snprintf(text, sizeof text, "  %-53s %-16s %-8s %-6s %-7s %-7s %s", name.c_str(), value.c_str(), limit.c_str(),
                ratio.c_str(), budget.c_str(), verdict.c_str(), what.c_str());
  std::string line = text;
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string table_head() { return row("figure", "value", "limit", "ratio", "budget", "", ""); }

std::string table_line(const Figure& figure) {
  const bool limited = std::isfinite(figure.limit), judged = figure.verdict() != Verdict::none;
  return row(figure.name, number(figure.value) + " " + figure.unit, limited ? number(figure.limit) : "",
             limited ? number(figure.ratio()) : "", judged ? number(figure.budget) : "", name_of(figure.verdict()),
             limited ? figure.limit_name : "");
}

}  // namespace spar::bench
