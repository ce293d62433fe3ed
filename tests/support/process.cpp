#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace spar::test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become(const Command& command, int in, int out, int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0) ::_exit(127);
  for (const auto& setting : command.environment) {
    const size_t equals = setting.find('=');
    ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> words;
  for (const auto& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

}  // namespace

Process::Process(const Command& command) : begin_(Clock::now()), end_(begin_ + command.limit) {
  int in[2], out[2], err[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  if (::write(in[1], command.input.data(), command.input.size()) != static_cast<ssize_t>(command.input.size()))
    throw std::runtime_error("the input does not fit into a pipe");
  pid_ = ::fork();
  if (pid_ == 0) become(command, in[0], out[1], err[1]);
  ::close(in[0]);
  in_ = in[1];
  if (!command.input_stays_open) ::close(std::exchange(in_, -1));
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
  if (pid_ < 0) throw std::runtime_error("`" + command.words[0] + "` cannot be started: " + std::strerror(errno));
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (const int descriptor : {in_, out_, err_})
    if (descriptor >= 0) ::close(descriptor);
}

void Process::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

bool Process::read_some(std::chrono::milliseconds patience) {
  std::array<pollfd, 2> waiting = {pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  ::poll(waiting.data(), waiting.size(), static_cast<int>(patience.count()));
  std::array<char, 65536> block;
  for (auto& one : waiting) {
    if (one.fd < 0 || one.revents == 0) continue;
    const ssize_t got = ::read(one.fd, block.data(), block.size());
    const bool is_out = one.fd == out_;
    if (got > 0) {
      (is_out ? result_.out : result_.err).append(block.data(), static_cast<size_t>(got));
    } else {
      ::close(one.fd);
      (is_out ? out_ : err_) = -1;
    }
  }
  return out_ >= 0 || err_ >= 0;
}

bool Process::wait_for(const std::string& text) {
  const auto there = [&] { return (result_.out + result_.err).find(text) != std::string::npos; };
  while (!there())
    if (Clock::now() > end_ || !read_some(std::chrono::milliseconds(20))) return there();
  return true;
}

ProcessResult Process::finish() {
  while (read_some(std::chrono::milliseconds(20))) {
    if (Clock::now() < end_ || result_.timed_out) continue;
    result_.timed_out = true;
    ::kill(pid_, SIGKILL);
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  result_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  return result_;
}

ProcessResult run(const Command& command) { return Process(command).finish(); }

}  // namespace spar::test
