#include "host/spar/seeds.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/text.hpp"
#include "core/run/statistics.hpp"
#include "core/run/summary.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/output.hpp"
#include "host/spar/signals.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

extern char** environ;

namespace spar::host {
namespace {

constexpr uint64_t kMostSeeds = 1000;

/// The words of one seed's run: those that were typed, without what asks for several runs or says how to tell of them.
std::vector<std::string> words_of(const Arguments& arguments, uint64_t seed) {
  std::vector<std::string> words = {"/proc/self/exe"};
  for (size_t i = 0; i < arguments.all.size(); ++i) {
    const std::string& word = arguments.all[i];
    const auto is = [&](const char* option) { return word == option || word.starts_with(std::string(option) + "="); };
    const bool valued = is("--seeds") || is("--jobs") || is("--seed") || is("--directory");
    if (valued || word == "-C") {
      if (word.find('=') == std::string::npos) ++i;  // the value is the next word
    } else if (word != "--json" && word != "-q" && word != "--quiet") {
      words.push_back(word);
    }
  }
  for (const std::string& word : {std::string("--json"), std::string("--quiet"), "--seed=" + std::to_string(seed)})
    words.push_back(word);
  return words;
}

/// Memory that is written and read like a file, and gone with the last process that has it open.
class Output {
 public:
  Output() : descriptor_(::memfd_create("spar-seed", MFD_CLOEXEC)) {
    if (descriptor_ >= 0) return;
    throw Error("E0410", Exit::failed, std::string("there is no memory for what a seed says: ") + std::strerror(errno))
        .help("fewer at a time need less: --jobs 1");
  }
  ~Output() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Output(Output&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Output& operator=(Output&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  int descriptor() const { return descriptor_; }
  std::string last_line() const {
    std::string text;
    char block[4096];
    for (ssize_t got; (got = ::pread(descriptor_, block, sizeof block, static_cast<off_t>(text.size()))) > 0;)
      text.append(block, static_cast<size_t>(got));
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);  // npos + 1 is the beginning
  }

 private:
  int descriptor_;
};

/// One process and what it said.
struct Child {
  uint64_t seed = 0;
  pid_t process = 0;
  Output output;
};

Child start(const Arguments& arguments, uint64_t seed) {
  Child child;
  child.seed = seed;
  std::vector<std::string> words = words_of(arguments, seed);
  std::vector<char*> raw;
  for (auto& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, child.output.descriptor(), STDOUT_FILENO);
  // A process group of its own: a terminal's Ctrl-C reaches this process only, which passes it on once.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  const int problem = ::posix_spawn(&child.process, raw[0], &actions, &attributes, raw.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (problem == 0) return child;
  throw Error("E0410", Exit::failed,
              "no process can be started for seed " + std::to_string(seed) + ": " + std::strerror(problem))
      .help("fewer at a time need less: --jobs 1");
}

/// The summary in the last line of what a child said; none if it did not come that far.
std::optional<run::Summary> summary_of(const Child& child) {
  boost::system::error_code problem;
  const auto value = boost::json::parse(child.output.last_line(), problem);
  if (problem || !value.is_object() || !value.as_object().contains("status")) return {};
  run::Summary summary = run::summary_from_json(value.as_object(), "the output of seed " + std::to_string(child.seed));
  summary.seed = child.seed;
  return summary;
}

using Wish = train::Interruption;

/// Ends when a child has ended; passes each wish to stop on, once. `told`: the last one that was passed on.
pid_t wait_for_one(const std::vector<Child>& running, Wish& told, int& status) {
  for (;;) {
    if (const Wish wish = interruption(); wish != told) {
      for (const Child& child : running) ::kill(child.process, wish == Wish::preempt ? SIGTERM : SIGINT);
      // Two signals at a time could arrive as one: the second follows in the next round.
      told = wish == Wish::abandon && told != Wish::save_and_stop ? Wish::save_and_stop : wish;
    }
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended > 0) return ended;
    if (ended < 0 && errno != EINTR) throw Error("E0000", Exit::failed, "the runs of the seeds are lost");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

int code_of(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  // It was told to stop before it could heed signals.
  if (WTERMSIG(status) == SIGINT) return static_cast<int>(Exit::interrupted);
  return static_cast<int>(WTERMSIG(status) == SIGTERM ? Exit::preempted : Exit::crash);
}

void tell(const run::Summary& summary, const Arguments& arguments, const Terminal& terminal) {
  if (arguments.json || arguments.quiet) return;
  std::string reached = summary.error.value_or("");
  if (summary.eval) reached = "eval return " + brief(summary.eval->mean);
  if (summary.iterations && summary.nash_conv) reached = "NashConv " + brief(*summary.nash_conv);
  if (summary.elo) reached = "Elo " + brief(*summary.elo);
  print("seed " + padded(std::to_string(*summary.seed), 7) +
        padded(paint(terminal.color_out, summary.status == "completed" ? "32" : "33", summary.status), 12) +
        padded(summary.run, 32) + reached + "\n");
}

/// What all have reached together: statistics over the seeds' means.
run::Summary aggregate(std::vector<run::Summary> seeds) {
  run::Summary all;
  std::vector<double> means, nash_convs, exploitabilities, ratings;
  for (const run::Summary& one : seeds) {
    if (one.nash_conv) nash_convs.push_back(*one.nash_conv);
    if (one.elo) ratings.push_back(*one.elo);
    if (one.exploitability) exploitabilities.push_back(*one.exploitability);
    if (one.iterations) all.iterations = all.iterations.value_or(0) + *one.iterations;
    all.env_steps += one.env_steps;
    all.seconds = std::max(all.seconds, one.seconds);
    all.steps_per_second += one.steps_per_second;
    if (one.eval) means.push_back(one.eval->mean);
    if (one.best && (!all.best || one.best->eval_return > all.best->eval_return)) all.best = one.best;
    if (all.status.empty() || all.status == "completed") {
      all.status = one.status;
      all.stop_reason = one.stop_reason;
      all.error = one.error;
    }
  }
  if (!means.empty()) all.eval = run::evaluate(means, *seeds.front().seed);
  if (!ratings.empty()) all.elo = run::mean(ratings);
  if (!nash_convs.empty()) all.nash_conv = run::mean(nash_convs);
  if (!exploitabilities.empty()) all.exploitability = run::mean(exploitabilities);
  all.seeds = std::move(seeds);
  return all;
}

void print_aggregate(const run::Summary& all, uint64_t wished, const Arguments& arguments) {
  if (arguments.json) return print_json(run::to_json(all));
  std::string text = padded("seeds", 12) + std::to_string(all.seeds.size()) +
                     (all.seeds.size() < wished ? " of " + std::to_string(wished) : "") + ", " + all.status + "\n";
  if (all.eval)
    text += padded("eval return", 12) + "mean " + brief(all.eval->mean) + ", iqm " + brief(all.eval->iqm) + " [" +
            brief(all.eval->ci_low) + ", " + brief(all.eval->ci_high) + "], " + brief(all.eval->min) + " to " +
            brief(all.eval->max) + " over the seeds\n";
  if (all.elo) text += padded("Elo", 12) + "mean " + brief(*all.elo) + " over the seeds\n";
  if (all.nash_conv)
    text += padded("NashConv", 12) + "mean " + brief(*all.nash_conv) + ", exploitability " +
            brief(all.exploitability.value_or(NAN)) + " over the seeds\n";
  print(text);
}

}  // namespace

uint64_t seeds_wished(const Arguments& arguments) {
  if (!arguments.has("seeds")) {
    if (arguments.has("jobs"))
      throw Error("E0403", Exit::usage,
                  "`--jobs` says how many seeds train at the same time, and there is no `--seeds`")
          .help("e.g. --seeds 5 --jobs 2");
    return 0;
  }
  const uint64_t seeds = whole_number("--seeds", arguments.get("seeds"));
  if (seeds < 1 || seeds > kMostSeeds)
    throw Error("E0403", Exit::usage,
                "`--seeds` must be 1 to " + std::to_string(kMostSeeds) + ", found " + std::to_string(seeds))
        .help("e.g. --seeds 5");
  return seeds;
}

uint64_t jobs_of(const Arguments& arguments, uint64_t seeds) {
  uint64_t jobs = std::max<uint64_t>(1, std::thread::hardware_concurrency() / threads_in_use(arguments));
  if (arguments.has("jobs")) jobs = whole_number("--jobs", arguments.get("jobs"));
  if (jobs == 0) throw Error("E0403", Exit::usage, "`--jobs` must be at least 1, found 0").help("e.g. --jobs 1");
  return std::min(jobs, seeds);
}

int train_seeds(const config::Experiment& experiment, uint64_t seeds, const Arguments& arguments,
                const Terminal& terminal) {
  const uint64_t jobs = jobs_of(arguments, seeds);
  if (!arguments.quiet)
    print_error(std::to_string(seeds) + " seeds from " + std::to_string(experiment.seed) + " on, " +
                std::to_string(jobs) + " at a time\n");
  std::vector<Child> running;
  std::vector<run::Summary> ended;
  uint64_t next = 0;
  int code = 0;
  Wish told = Wish::none;
  while (next < seeds || !running.empty()) {
    const bool go_on = interruption() == Wish::none;
    if (!go_on && running.empty()) break;
    if (go_on && next < seeds && running.size() < jobs) {
      running.push_back(start(arguments, experiment.seed + next++));
      continue;
    }
    int status = 0;
    const pid_t process = wait_for_one(running, told, status);
    const auto child = std::ranges::find(running, process, &Child::process);
    if (child == running.end()) continue;
    if (code == 0) code = code_of(status);
    if (const auto summary = summary_of(*child)) {
      tell(*summary, arguments, terminal);
      ended.push_back(*summary);
    }
    running.erase(child);
  }
  std::ranges::sort(ended, {}, &run::Summary::seed);
  const bool preempted = interruption() == Wish::preempt;
  if (next < seeds && code == 0) code = static_cast<int>(preempted ? Exit::preempted : Exit::interrupted);
  if (ended.empty()) return code;
  run::Summary all = aggregate(std::move(ended));
  if (next < seeds && all.status == "completed") {
    all.status = preempted ? "preempted" : "stopped";
    all.stop_reason = preempted ? "preempted" : "interrupted";
  }
  print_aggregate(all, seeds, arguments);
  return code;
}

}  // namespace spar::host
