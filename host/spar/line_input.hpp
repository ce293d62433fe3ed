// Answers on standard input: of a person at a terminal, or of a script.
#pragma once

#include <string>

namespace spar::host {

/// Signals are heeded (signals.hpp) while it is used.
class LineInput {
 public:
  LineInput();

  enum class Got { line, end, interrupted };
  /// The next line, without its end. `interrupted`: a signal came.
  Got read(std::string& line);
  bool is_terminal() const { return is_terminal_; }

 private:
  bool is_terminal_;
  bool ended_ = false;
  std::string buffer_;
};

}  // namespace spar::host
