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
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench_main.hpp"
#include "core/bench/table.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;
using namespace spar::bench;

struct Cost {
  double milliseconds = 1e30;
  double megabytes = 0;
};

/// Up to the first step of a run: what the run says of itself, and how long after its start a reader knows of it.
struct FirstStep {
  double processor_ms = 1e30;
  double wall_ms = 1e30;
};

double now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// Reads the JSON lines of a run until it ends.
FirstStep read_first_step(int descriptor, double begin) {
  FirstStep found;
  std::string text;
  char block[4096];
  for (ssize_t got = 0; (got = read(descriptor, block, sizeof block)) > 0;) {
    text.append(block, static_cast<size_t>(got));
    const size_t event = text.find("\"first_step\"");
    if (event == std::string::npos || found.wall_ms < 1e30) continue;
    found.wall_ms = now_ms() - begin;
    constexpr std::string_view kKey = "\"processor_ms\":";
    const size_t key = text.find(kKey, event);
    if (key != std::string::npos) found.processor_ms = std::strtod(text.c_str() + key + kKey.size(), nullptr);
  }
  return found;
}

/// One process, its output thrown away or, for its first step, read.
Cost cost_of(const std::vector<std::string>& words, FirstStep* first_step = nullptr) {
  std::vector<char*> raw;
  for (const auto& word : words) raw.push_back(const_cast<char*>(word.c_str()));
  raw.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  int ends[2] = {-1, -1};
  if (first_step == nullptr)
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  else if (pipe2(ends, O_CLOEXEC) != 0 || posix_spawn_file_actions_adddup2(&quiet, ends[1], STDOUT_FILENO) != 0)
    throw std::runtime_error("no pipe can be made");
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const double begin = now_ms();
  const int problem = posix_spawn(&child, raw[0], &quiet, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (problem != 0) throw std::runtime_error(words[0] + " cannot be started: " + std::strerror(problem));
  if (first_step != nullptr) {
    close(ends[1]);
    *first_step = read_first_step(ends[0], begin);
    close(ends[0]);
  }
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
  std::vector<std::string> train = {program,
                                    "-C",
                                    place.string(),
                                    "train",
                                    "cartpole-dqn",
                                    "stop={any=[{env_steps=1}]}",
                                    "eval.episodes=1",
                                    "algorithm.buffer_size=1000",
                                    "algorithm.hidden_layers=[64,64]"};
  const Cost step = best_of(times, train);
  train.push_back("--json");
  FirstStep first;
  for (int i = 0; i < times; ++i) {
    FirstStep next;
    cost_of(train, &next);
    first.processor_ms = std::min(first.processor_ms, next.processor_ms);
    first.wall_ms = std::min(first.wall_ms, next.wall_ms);
  }
  put("spar train, DQN CartPole, to its first step", first.processor_ms, "ms", h.milliseconds, 1.6, 2.2);
  put("the same by the clock, the disk included", first.wall_ms, "ms", NAN, NAN);
  put("the whole run of one step", step.milliseconds, "ms", NAN, NAN);
  put("its memory", step.megabytes, "MB", h.megabytes, 3.0);
  fs::remove_all(place);
}

}  // namespace

int main(int argc, char** argv) {
  return bench_main(
      argc, argv,
      [&](bool brief) -> uint64_t {
        if (argc < 2) throw std::runtime_error("usage: bench_start PATH/TO/spar [--check] [--short]");
        measure(argv[1], brief ? 5 : 20);
        return lost;
      },
      2);
}
