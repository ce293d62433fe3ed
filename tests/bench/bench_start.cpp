// bench_start SPAR [--check] [--short]: the start of the program against that of a program which only reads its words
// and a file and logs a line. Processor time and largest memory of child processes, best of several.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/bench/table.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;
using namespace spar::bench;

struct Cost {
  double milliseconds = 1e30;
  double megabytes = 0;
};

/// One process, its output thrown away.
Cost cost_of(const std::vector<std::string>& words) {
  std::vector<char*> raw;
  for (const auto& word : words) raw.push_back(const_cast<char*>(word.c_str()));
  raw.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int problem = posix_spawn(&child, raw[0], &quiet, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (problem != 0) throw std::runtime_error(words[0] + " cannot be started: " + std::strerror(problem));
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(words[0] + " " + (words.size() > 1 ? words[1] : "") + " failed");
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {1e3 * (seconds(used.ru_utime) + seconds(used.ru_stime)), static_cast<double>(used.ru_maxrss) / 1024};
}

/// Best time and smallest memory of several.
Cost best_of(int times, const std::vector<std::string>& words) {
  Cost best = cost_of(words);
  for (int i = 1; i < times; ++i) {
    const Cost next = cost_of(words);
    best.milliseconds = std::min(best.milliseconds, next.milliseconds);
    best.megabytes = std::min(best.megabytes, next.megabytes);
  }
  return best;
}

uint64_t lost = 0;

void put(std::string name, double value, const char* unit, double limit, double budget, double held = NAN) {
  Figure figure;
  figure.group = "start";
  figure.name = std::move(name);
  figure.value = value;
  figure.unit = unit;
  figure.limit = limit;
  figure.limit_name = "H, a program that reads a file and logs";
  figure.budget = budget;
  figure.held = held;
  lost += figure.lost();
  std::fputs(table_line(figure).c_str(), stdout);
}

void measure(const std::string& program, int times) {
  const fs::path place = fs::temp_directory_path() / ("spar-bench-start-" + std::to_string(getpid()));
  fs::create_directories(place / "cache");
  setenv("XDG_CACHE_HOME", (place / "cache").c_str(), 1);
  const std::string file = (fs::path(program).parent_path() / "../share/spar/presets/cartpole-dqn.toml").string();
  const std::string reference =
      (fs::path("/proc/self/exe").is_absolute() ? fs::read_symlink("/proc/self/exe") : fs::path()).parent_path() /
      "bench_reference_start";
  const Cost h = best_of(times, {reference, "--file", file});
  std::fputs(table_head().c_str(), stdout);
  put("a program that reads a file and logs (H)", h.milliseconds, "ms", NAN, NAN);
  put("spar --version", best_of(times, {program, "--version"}).milliseconds, "ms", h.milliseconds, 1.4);
  const double cold = cost_of({program, "plugin", "list"}).milliseconds;
  put("spar plugin list, first time", cold, "ms", NAN, NAN);
  put("spar plugin list", best_of(times, {program, "plugin", "list"}).milliseconds, "ms", h.milliseconds, 2.0);
  const Cost step =
      best_of(times, {program, "-C", place.string(), "train", "cartpole-dqn", "stop={any=[{env_steps=1}]}",
                      "eval.episodes=1", "algorithm.buffer_size=1000", "algorithm.hidden_layers=[64,64]"});
  put("spar train, DQN CartPole, one step: the whole run", step.milliseconds, "ms", h.milliseconds, 1.6, 8.0);
  put("its memory", step.megabytes, "MB", h.megabytes, 3.0);
  fs::remove_all(place);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool check = false, brief = false;
    for (int i = 2; i < argc; ++i) {
      check = check || std::strcmp(argv[i], "--check") == 0;
      brief = brief || std::strcmp(argv[i], "--short") == 0;
    }
    if (argc < 2) throw std::runtime_error("usage: bench_start PATH/TO/spar [--check] [--short]");
    measure(argv[1], brief ? 5 : 20);
    return check && lost > 0 ? 4 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
