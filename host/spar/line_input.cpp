#include "host/spar/line_input.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "host/spar/signals.hpp"

namespace spar::host {
namespace {

constexpr size_t kLongestLine = 4096;  ///< what is longer is no answer, and is not kept

}  // namespace

LineInput::LineInput() : is_terminal_(::isatty(STDIN_FILENO) != 0) {}

LineInput::Got LineInput::read(std::string& line) {
  for (;;) {
    if (interruption() != train::Interruption::none) return Got::interrupted;
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos || buffer_.size() > kLongestLine || (ended_ && !buffer_.empty())) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end == std::string::npos ? end : end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return Got::line;
    }
    if (ended_) return Got::end;
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    if (::poll(&waiting, 1, 100) <= 0) continue;  // so that a signal just before the call is noticed as well
    std::array<char, 4096> block;
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got > 0)
      buffer_.append(block.data(), static_cast<size_t>(got));
    else if (got == 0 || errno != EINTR)
      ended_ = true;
  }
}

}  // namespace spar::host
