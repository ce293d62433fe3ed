// Starting a program as a test: arguments, environment and working directory in, output and exit code out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace spar::test {

struct ProcessResult {
  std::string out, err;
  int exit_code = -1;  ///< -1: a signal ended it
  int signal = 0;
  bool timed_out = false;
  double seconds = 0;
};

struct Command {
  std::vector<std::string> words;        ///< the program first; looked up in PATH if it has no slash
  std::vector<std::string> environment;  ///< NAME=VALUE, beside those of this process; NAME= with nothing empties it
  std::filesystem::path directory;       ///< "" = here
  std::chrono::milliseconds limit{20'000};
  std::string input{};            ///< on standard input, which ends behind it; at most what a pipe holds
  bool input_stays_open = false;  ///< it does not end
};

/// A program that runs. Both outputs are read all the time, so it never waits for this test.
class Process {
 public:
  /// Throws std::runtime_error if the program cannot be started.
  explicit Process(const Command& command);
  ~Process();  ///< kills it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Reads until standard output or standard error holds `text`; false if the program ends or the limit passes before.
  bool wait_for(const std::string& text);
  void send(int signal) const;
  /// Waits for the end, with SIGKILL at the limit.
  ProcessResult finish();

 private:
  bool read_some(std::chrono::milliseconds patience);

  ProcessResult result_;
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1, in_ = -1;
  std::chrono::steady_clock::time_point begin_, end_;
};

ProcessResult run(const Command& command);

}  // namespace spar::test
