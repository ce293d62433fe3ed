#include "host/spar/engine.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <thread>

#include "core/base/memory.hpp"
#include "core/base/text.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

namespace fs = std::filesystem;

}  // namespace

Engine::Engine(const Arguments& arguments)
    : plugins_(std::vector<fs::path>(arguments.plugin_paths.begin(), arguments.plugin_paths.end())),
      threads_(threads_in_use(arguments)) {}

uint32_t threads_in_use(const Arguments& arguments) {
  return std::min(arguments.threads, std::max(1U, std::thread::hardware_concurrency()));
}

std::string threads_warning(const Arguments& arguments) {
  const uint32_t used = threads_in_use(arguments);
  if (used == arguments.threads) return "";
  return "`--threads " + std::to_string(arguments.threads) +
         "` is more than this machine has processors: " + std::to_string(used) + (used == 1 ? " works" : " work") +
         ", and the result is the same";
}

std::string preset_directory() {
  if (const char* chosen = std::getenv("SPAR_PRESETS"); chosen && *chosen) return chosen;
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  return (program.parent_path() / "../share/spar/presets").lexically_normal().string();
}

config::Sources sources_of(const Arguments& arguments) {
  config::Sources sources;
  sources.preset_directory = preset_directory();
  sources.seed = arguments.seed;
  sources.device = arguments.device;
  for (const auto& word : arguments.positional) {
    if (word.find('=') != std::string::npos) {
      sources.assignments.push_back(word);
    } else if (sources.experiment.empty()) {
      sources.experiment = word;
    } else {
      throw Error("E0403", Exit::usage,
                  "`" + printable(word) + "` is a second experiment beside `" + printable(sources.experiment) + "`")
          .help("settings are written KEY=VALUE, e.g. algorithm.lr=1e-3");
    }
  }
  return sources;
}

uint64_t free_disk(const std::string& directory) {
  std::error_code problem;
  fs::path path = fs::absolute(directory, problem);
  while (path.has_relative_path() && !fs::exists(path, problem)) path = path.parent_path();
  struct statvfs disk {};
  if (::statvfs(path.c_str(), &disk) != 0) return std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
}

std::string check_resources(uint64_t memory_bytes, uint64_t checkpoint_bytes, const std::string& directory) {
  const uint64_t memory = free_memory(), disk = free_disk(directory);
  if (memory_bytes > memory)
    throw Error("E0405", Exit::failed,
                "the run needs " + bytes_text(memory_bytes) + " of memory and " + bytes_text(memory) + " are free")
        .help("a smaller buffer_size, smaller networks or fewer copies of the environment need less");
  if (checkpoint_bytes <= disk) return "";
  return "the checkpoints need up to " + bytes_text(checkpoint_bytes) + " and the disk of `" + directory + "` has " +
         bytes_text(disk) + " left: make room, or keep fewer (checkpoint.keep={last=1,best=1})";
}

std::string estimate_text(uint64_t memory_bytes, uint64_t checkpoint_bytes) {
  return "memory " + bytes_text(memory_bytes) + ", checkpoints up to " + bytes_text(checkpoint_bytes);
}

}  // namespace spar::host
