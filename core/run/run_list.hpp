// Which runs there are, and which one a person means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spar::run {

struct RunInfo {
  std::filesystem::path path;
  std::string id;        ///< name of the directory, "cartpole-dqn-7f3a"
  std::string name;      ///< "cartpole-dqn"
  std::string created;   ///< UTC, sorts as text
  std::string status;    ///< running, completed, stopped, failed, preempted; interrupted: its process is gone; damaged
  std::string scenario;  ///< "marl", "psro", ..; empty if the run does not say
  uint64_t env_steps = 0;  ///< iterations, if the run solves a game
  std::optional<double> best_return;
};

/// The runs in `parent`, oldest first; empty if there is no such directory. Never throws for what it finds in them: a
/// run whose manifest cannot be read is "damaged". Steps and best return come from the summary; while there is none,
/// from "step" in the last line of metrics.jsonl and from "step" and "return.mean" of eval.jsonl (the most of any
/// seed).
std::vector<RunInfo> list(const std::filesystem::path& parent);

/// The run that `spec` means: the path of a run, `@last` (newest), `@best` (greatest best return), the name of a
/// directory in `parent` or a unique beginning of one, or its four digits. Throws E0601 (none, with the nearest name)
/// or E0602 (several, which are listed).
std::filesystem::path resolve(std::string_view spec, const std::filesystem::path& parent);

}  // namespace spar::run
