// The checkpoints of one seed: a directory of files numbered by environment step, "000018000.ckpt", and "best.ckpt".
// There is no pointer to the latest: the newest valid one wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/container.hpp"
#include "core/checkpoint/file_system.hpp"

namespace spar::checkpoint {

/// A file that was passed over, and why, in one sentence.
struct Refused {
  std::string file;
  std::string reason;
};

struct Loaded {
  Checkpoint checkpoint;
  FileSystem::Path file;
  std::vector<Refused> refused;  ///< newer files that were not usable: tell the user
};

/// Reading never changes anything, so a run may be looked at while it trains. Writing is for the holder of the run's
/// lock, from one thread at a time.
class Directory {
 public:
  /// `keep_last` >= 1 numbered checkpoints stay after each write. `files` must outlive the directory.
  Directory(FileSystem& files, FileSystem::Path path, unsigned keep_last = 2);

  const FileSystem::Path& path() const { return path_; }
  std::string name(uint64_t step) const;  ///< "000018000.ckpt"
  std::vector<uint64_t> steps() const;    ///< of the numbered files, ascending; empty if there is no directory

  /// Makes the directory and deletes temporaries that a killed process left. Call before the first write. E0504.
  void prepare();

  /// Writes "<step>.ckpt" durably, then deletes older numbered ones beyond the last `keep_last`; returns the file.
  /// Throws E0504 or E0506; then nothing was deleted.
  FileSystem::Path write(const Checkpoint& checkpoint);
  /// Writes "best.ckpt" durably; it is never pruned. Throws E0504 or E0506.
  FileSystem::Path write_best(const Checkpoint& checkpoint);

  /// The newest file that decodes and holds the step it is named after; best.ckpt when no numbered one does. Throws
  /// E0503, with every refused file and its reason, if there is none: a run is never started from scratch by mistake.
  Loaded newest_valid() const;
  /// best.ckpt. Throws E0502 or E0503.
  Checkpoint best() const;

 private:
  FileSystem::Path write_as(const std::string& name, const Checkpoint& checkpoint);
  void prune(uint64_t written);

  FileSystem& files_;
  FileSystem::Path path_;
  unsigned keep_last_;
};

/// Reads one file. Throws E0502 (damaged) or E0503 (cannot be read).
Checkpoint read_checkpoint(FileSystem& files, const FileSystem::Path& file);

/// The step in the name of a numbered checkpoint; none for any other name.
std::optional<uint64_t> step_of(std::string_view name);

}  // namespace spar::checkpoint
