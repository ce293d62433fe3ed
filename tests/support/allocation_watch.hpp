// Counts what a training run allocates once it is warm: link support/counting_new.cpp.
#pragma once

#include "support/counting_new.hpp"
#include "support/training_run.hpp"

namespace spar::test {

/// Looks at the count between two steps: at the step `warm`, and at `end`, where the run is abandoned.
struct AllocationWatch : train::Observer {
  AllocationWatch(const train::Training& watched, uint64_t warm_step, uint64_t end_step)
      : training(watched), warm(warm_step), end(end_step) {}
  train::Interruption interruption() override {
    const uint64_t steps = training.counters.env_steps;
    if (before == 0 && steps >= warm) {
      before = allocations;
      updates = training.counters.updates;
      episodes = training.counters.episodes;
    }
    if (steps < end) return train::Interruption::none;
    after = allocations;
    updates = training.counters.updates - updates;
    episodes = training.counters.episodes - episodes;
    return train::Interruption::abandon;
  }
  const train::Training& training;
  uint64_t warm, end;
  uint64_t before = 0, after = 0, updates = 0, episodes = 0;
};

/// Runs from the start to the step `end`.
inline AllocationWatch watch_allocations(TrainingRun& run, uint64_t warm, uint64_t end) {
  train::Training& training = run.training();
  AllocationWatch watch(training, warm, end);
  checkpoint::PosixFileSystem files;
  checkpoint::Writer writer(checkpoint::Directory(files, run.directory() / "checkpoints"));
  train::Recorder recorder(run.directory());
  training.start();
  train::run_loop(training, recorder, writer, "{}", watch);
  return watch;
}

}  // namespace spar::test
