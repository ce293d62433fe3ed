#include "host/spar/output.hpp"

#include <atomic>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>

#include "core/run/json_text.hpp"

namespace spar::host {

namespace {

std::atomic<int> unprinted_because{0};  // standard output is one for the whole process, and so is its error

}  // namespace

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return;
  int none = 0;
  unprinted_because.compare_exchange_strong(none, errno);
}

// A reader that has seen enough and goes away loses nothing that it wants.
int unprinted() { return unprinted_because == EPIPE ? 0 : unprinted_because.load(); }

void print_error(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_json(const boost::json::object& event) { print(run::json_text(event) + "\n"); }

boost::json::object to_json(const Error& error) {
  boost::json::object out{{"event", "error"}, {"code", error.code()}, {"message", error.what()}};
  if (const auto& place = error.place()) {
    out["file"] = place->file;
    if (place->line > 0) out["line"] = place->line;
    out["column"] = place->column;
  }
  if (!error.help().empty()) out["help"] = error.help();
  out["exit"] = static_cast<int>(error.exit());
  return out;
}

int report(const Error& error, const Terminal& terminal, bool json) {
  if (json) print_json(to_json(error));
  print_error(error.render(terminal.color_err));
  return static_cast<int>(error.exit());
}

}  // namespace spar::host
