// The live panel of a run on a terminal: a few lines that are drawn over.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "core/train/observer.hpp"
#include "host/spar/terminal.hpp"

namespace spar::host {

/// What there is to show of a run.
struct View {
  std::string run;  ///< "cartpole-dqn-7f3a"
  uint64_t seed = 1;
  train::Progress progress;
  std::vector<double> evaluations;                  ///< mean returns, oldest first
  std::optional<std::pair<double, uint64_t>> best;  ///< return and its step
  std::vector<std::pair<std::string, double>> metrics;
};

/// One eighth-block for each value (the last `most` ones), between their least and their greatest.
std::string sparkline(const std::vector<double>& values, size_t most, bool unicode);

/// The lines of the panel, none longer than `width` columns.
std::vector<std::string> panel_lines(const View& view, int width, const Terminal& terminal);

class Panel {
 public:
  explicit Panel(const Terminal& terminal) : terminal_(terminal) {}

  /// Draws, at most ten times a second unless `now`.
  void draw(const View& view, bool now = false);
  /// Prints a line above the panel; it stays.
  void say(const std::string& line);
  /// Leaves the panel as it is: the next line is below.
  void leave() { lines_ = 0; }

 private:
  std::string erase() const;

  Terminal terminal_;
  size_t lines_ = 0;  ///< of the panel as drawn
  std::chrono::steady_clock::time_point drawn_{};
};

}  // namespace spar::host
