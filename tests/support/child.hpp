// A piece of a test in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace spar::test {

/// The exit status of `work` in a child process; 99 if it throws, -1 if a signal ended it.
inline int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = work();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace spar::test
