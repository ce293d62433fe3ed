#include "host/spar/panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "host/spar/output.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

constexpr size_t kSparks = 24;

std::string bar(double fraction, size_t width, const Terminal& terminal) {
  static constexpr std::array<const char*, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double filled = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(width);
  const auto whole = static_cast<size_t>(filled);
  std::string full, rest;
  for (size_t i = 0; i < whole; ++i) full += terminal.unicode ? "█" : "#";
  if (terminal.unicode && whole < width) full += kParts[static_cast<size_t>((filled - static_cast<double>(whole)) * 8)];
  for (size_t i = columns_of(full); i < width; ++i) rest += terminal.unicode ? "░" : "-";
  return paint(terminal.color_err, "32", full) + paint(terminal.color_err, "2", rest);
}

std::string progress_line(const View& view, int width, const Terminal& terminal) {
  const auto& p = view.progress;
  const std::string unit = p.iterations ? " iterations" : " steps";
  std::string speed;
  if (p.steps_per_second > 0) speed = "  " + grouped(static_cast<uint64_t>(p.steps_per_second)) + unit + "/s";
  if (!p.budget || *p.budget == 0)
    return grouped(p.done()) + unit + speed + "  " + duration_text(p.seconds) + " so far";
  const double fraction = static_cast<double>(p.done()) / static_cast<double>(*p.budget);
  std::string text = "  " + std::to_string(static_cast<int>(fraction * 100)) + " %  " + grouped(p.done()) + " / " +
                     grouped(*p.budget) + unit + speed;
  // The average of the whole run: single intervals jump with every learning phase.
  if (p.done() > 0 && p.seconds > 0)
    text += "  ETA " + duration_text(p.seconds / static_cast<double>(p.done()) *
                                     static_cast<double>(*p.budget - std::min(*p.budget, p.done())));
  // The same width all the time: room for the longest text that the budget allows.
  const auto longest = static_cast<int>(2 * grouped(*p.budget).size() + 2 * unit.size() + 33);
  const auto room = static_cast<size_t>(std::clamp(width - longest, 10, 30));
  return bar(fraction, room, terminal) + text;
}

std::string return_line(const View& view, const Terminal& terminal) {
  std::string out;
  if (view.progress.recent_return) out += "train return " + brief(*view.progress.recent_return) + "  ";
  if (!view.evaluations.empty()) {
    out += "eval " + paint(terminal.color_err, "1", brief(view.evaluations.back())) + "  ";
    if (view.best) out += "best " + brief(view.best->first) + " at " + grouped(view.best->second) + "  ";
    out += paint(terminal.color_err, "36", sparkline(view.evaluations, kSparks, terminal.unicode));
  }
  return out;
}

}  // namespace

std::string sparkline(const std::vector<double>& values, size_t most, bool unicode) {
  static constexpr std::array<const char*, 8> kUnicode = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<const char*, 8> kPlain = {"_", ".", "-", "~", "=", "+", "*", "#"};
  const std::vector<double> shown(values.end() - static_cast<std::ptrdiff_t>(std::min(values.size(), most)),
                                  values.end());
  double low = INFINITY, high = -INFINITY;
  for (const double value : shown)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  std::string out;
  for (const double value : shown) {
    if (!std::isfinite(value)) {
      out += ' ';
      continue;
    }
    const auto step = high > low ? static_cast<size_t>((value - low) / (high - low) * 7.999) : 3;
    out += (unicode ? kUnicode : kPlain)[step];
  }
  return out;
}

std::vector<std::string> panel_lines(const View& view, int width, const Terminal& terminal) {
  std::vector<std::string> lines = {paint(terminal.color_err, "1", view.run) + "  seed " + std::to_string(view.seed),
                                    progress_line(view, width, terminal), return_line(view, terminal)};
  std::string metrics;
  for (const auto& [name, value] : view.metrics) {
    const std::string one = name + " " + brief(value);
    if (columns_of(metrics) + columns_of(one) + 2 > static_cast<size_t>(width)) break;
    metrics += (metrics.empty() ? "" : "  ") + one;
  }
  lines.push_back(paint(terminal.color_err, "2", metrics));
  for (auto& line : lines) line = cut_to(line, static_cast<size_t>(width));
  return lines;
}

std::string Panel::erase() const { return lines_ == 0 ? "" : "\x1b[" + std::to_string(lines_) + "A\r\x1b[J"; }

void Panel::draw(const View& view, bool now) {
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = time;
  // One column stays free: a full line would wrap on some terminals.
  const auto lines = panel_lines(view, terminal_width() - 1, terminal_);
  std::string out = lines_ == 0 ? "" : "\x1b[" + std::to_string(lines_) + "A\r";
  for (const auto& line : lines) out += line + "\x1b[K\n";
  lines_ = lines.size();
  print_error(out);
}

void Panel::say(const std::string& line) {
  print_error(erase() + line + "\n");
  lines_ = 0;
}

}  // namespace spar::host
