// Running a program as a child that may do anything, and surviving it.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace spar::plugin {

struct ChildResult {
  std::string not_started;  ///< why the program could not be started; everything below is then empty
  std::string output;       ///< its standard output
  std::string errors;       ///< the first 4 KiB of its standard error
  bool timed_out = false;   ///< killed at the end of its time
  bool too_much = false;    ///< killed because it printed more than `most_output` bytes
  int exit_code = -1;       ///< -1 if a signal ended it
  int signal = 0;           ///< which one; 0 if it exited
};

/// Starts `program` by posix_spawn (never fork: other threads may hold locks) in a process group of its own, with
/// default signal handling, /dev/null as standard input and no other descriptor of ours, waits until it ends, and kills
/// the whole group when `limit` is over.
ChildResult run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      std::chrono::milliseconds limit, size_t most_output);

}  // namespace spar::plugin
