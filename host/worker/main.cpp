// spar-worker: components outside the program's own process.
//   spar-worker scan FILE    loads one plugin and prints its schemas as JSON (core/plugin/scan.hpp)
// Exit codes: 0 described, 2 usage, 3 the plugin is refused.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string_view>

#include "core/base/error.hpp"
#include "core/plugin/scan.hpp"

namespace {

int usage() {
  std::fputs("usage: spar-worker scan FILE\nFILE is the absolute path of a plugin (*.spar.so).\n", stderr);
  return static_cast<int>(spar::Exit::usage);
}

/// The document goes where standard output was; what the plugin prints goes to standard error.
int scan(const std::filesystem::path& file) {
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::perror("spar-worker: standard output");
    return static_cast<int>(spar::Exit::failed);
  }
  const spar::plugin::ScanDocument document = spar::plugin::describe_plugin(file);
  std::string_view text = document.json;
  while (!text.empty()) {
    const ssize_t wrote = ::write(output, text.data(), text.size());
    if (wrote < 0) {
      std::perror("spar-worker: standard output");
      return static_cast<int>(spar::Exit::failed);
    }
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  return static_cast<int>(document.refused ? spar::Exit::plugin : spar::Exit::ok);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "scan" || argv[2][0] != '/') return usage();
  // A scan that crashes is an answer, not an incident: no core file, and no life beyond that of who asked.
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    return scan(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spar-worker: %s\n", error.what());
    return static_cast<int>(spar::Exit::failed);
  }
}
