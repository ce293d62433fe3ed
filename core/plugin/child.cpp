#include "core/plugin/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "core/base/text.hpp"
#include "core/plugin/file_check.hpp"

namespace spar::plugin {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  Descriptor read, write;

  /// An errno, 0 if all went well.
  int open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno;
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    // Only our end must not block.
    return ::fcntl(ends[1], F_SETFL, 0) == 0 ? 0 : errno;
  }
};

/// Attributes and file actions, released on every way out.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnPlan(int output, int errors) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions, errors, 2);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

/// Leaves the ended child as it is: its number stays taken.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != EINTR;
  return info.si_pid == pid;
}

/// Appends what is there, at most up to `most` bytes in all; false at the end of the stream.
bool drain(int fd, std::string& into, size_t most, bool& overflow) {
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got == 0) return false;
    const size_t room = most - std::min(most, into.size());
    overflow = overflow || static_cast<size_t>(got) > room;
    into.append(buffer.data(), std::min(room, static_cast<size_t>(got)));
    if (overflow) return true;
  }
}

}  // namespace

ChildResult run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      std::chrono::milliseconds limit, size_t most_output) {
  ChildResult result;
  Pipe output, errors;
  int pipe_problem = output.open();
  if (pipe_problem == 0) pipe_problem = errors.open();
  if (pipe_problem != 0) {
    result.not_started = system_text(pipe_problem);
    return result;
  }
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const auto deadline = Clock::now() + limit;
  const SpawnPlan plan(output.write.get(), errors.write.get());
  pid_t pid = 0;
  if (const int problem = ::posix_spawn(&pid, program.c_str(), &plan.actions, &plan.attributes, argv.data(), environ)) {
    result.not_started = system_text(problem);
    return result;
  }
  output.write.reset();
  errors.write.reset();

  bool output_open = true, errors_open = true, ended = false;
  int status = 0;
  while (!ended) {
    // A grandchild may hold the pipes after the child's end, so the end itself is asked for in every round.
    std::array<pollfd, 2> waits{pollfd{output_open ? output.read.get() : -1, POLLIN, 0},
                                pollfd{errors_open ? errors.read.get() : -1, POLLIN, 0}};
    ::poll(waits.data(), waits.size(), output_open || errors_open ? 10 : 1);
    ended = has_ended(pid);
    if (output_open) output_open = drain(output.read.get(), result.output, most_output, result.too_much);
    if (errors_open) {
      bool overflow = false;  // only the beginning is kept, the rest is read and dropped
      errors_open = drain(errors.read.get(), result.errors, 4096, overflow);
    }
    result.timed_out = !ended && Clock::now() >= deadline;
    ended = ended || result.timed_out || result.too_much;
  }
  // The child, or whatever it left behind: before it is waited for, while its number cannot belong to another group.
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace spar::plugin
