#include "host/spar/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace spar::host {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool dumb() { return variable("TERM").empty() || variable("TERM") == "dumb"; }

bool color_for(int descriptor, Color wish) {
  if (wish != Color::automatic) return wish == Color::always;
  if (!variable("NO_COLOR").empty()) return false;
  if (const auto force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return ::isatty(descriptor) && !dumb();
}

/// Only a locale that says otherwise is believed: most containers have none and a terminal that can.
bool unicode_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos || value.find("utf-8") != value.npos;
  }
  return true;
}

}  // namespace

Terminal look_at_terminal(Color wish) {
  return {color_for(STDOUT_FILENO, wish), color_for(STDERR_FILENO, wish), ::isatty(STDERR_FILENO) && !dumb(),
          unicode_locale()};
}

int terminal_width() {
  int columns = std::atoi(std::string(variable("COLUMNS")).c_str());
  if (columns <= 0) {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  }
  return columns <= 0 ? 80 : std::clamp(columns, 20, 400);
}

std::string paint(bool color, const char* style, const std::string& text) {
  return color ? std::string("\x1b[") + style + "m" + text + "\x1b[0m" : text;
}

}  // namespace spar::host
