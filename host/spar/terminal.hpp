// What the two output streams can show.
#pragma once

#include <string>

#include "host/spar/arguments.hpp"

namespace spar::host {

struct Terminal {
  bool color_out = false, color_err = false;  ///< of standard output and standard error
  bool panel = false;                         ///< standard error can be drawn over
  bool unicode = true;
};

/// Honours NO_COLOR, CLICOLOR_FORCE and TERM=dumb; `wish` wins over all of them.
Terminal look_at_terminal(Color wish);

/// Columns of the terminal: COLUMNS, else what the terminal says, else 80.
int terminal_width();

/// `text` in an SGR style such as "1;32".
std::string paint(bool color, const char* style, const std::string& text);

}  // namespace spar::host
