// Saves checkpoints while training goes on: the caller hands over a copy of the state, one thread writes it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/checkpoint/directory.hpp"

namespace spar::checkpoint {

/// What became of one submitted checkpoint.
struct Outcome {
  uint64_t step = 0;
  bool best = false;           ///< best.ckpt was asked for as well
  FileSystem::Path file;       ///< the numbered file, if it was written
  uint64_t bytes = 0;          ///< of one file
  double seconds = 0;          ///< spent writing
  std::optional<Error> error;  ///< E0504 or E0506: what was not saved; training may go on, the user must hear of it
};

/// Exactly one thread, with all signals blocked. Called from one thread. The directory is not to be written by others
/// while the writer lives.
class Writer {
 public:
  /// Prepares the directory (made, temporaries swept) and starts the thread. Throws E0504.
  explicit Writer(Directory directory);
  /// Waits until everything submitted is written.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Queues the numbered checkpoint and, if `best`, best.ckpt. Returns at once, unless one is queued already behind
  /// the one being written: then waits until that one is begun.
  void submit(uint64_t step, Checkpoint checkpoint, bool best = false);
  /// Waits until everything submitted is written or has failed.
  void flush();
  /// The outcomes since the last call, in order of submission; never blocks for a write.
  std::vector<Outcome> poll();
  /// Submits, waits and throws the error if this one was not saved: for the first checkpoint and the last. Outcomes of
  /// earlier ones stay for poll().
  Outcome write_now(uint64_t step, Checkpoint checkpoint, bool best = false);

  const Directory& directory() const { return directory_; }

 private:
  struct Job {
    Checkpoint checkpoint;
    bool best = false;
  };
  void work();
  Outcome save(const Job& job);

  Directory directory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> queued_;
  bool busy_ = false;
  bool stop_ = false;
  std::vector<Outcome> outcomes_;
  std::thread thread_;
};

}  // namespace spar::checkpoint
