// Keeps sampling and inserting in step when they run beside each other (after Cassirer et al., "Reverb", 2021).
#pragma once

#include <cstdint>

namespace spar::replay {

/// Lead = inserted * samples_per_insert - sampled. It may leave its value at the first sample by at most a slack on
/// either side: a reader that is ahead waits for new rows, a writer that is ahead waits for the reader. The slack
/// covers at least one insert or one sample, so at least one side can always go on. Not thread-safe: the owner's lock
/// covers it.
class Limiter {
 public:
  struct Options {
    uint64_t min_size = 1;          ///< rows before the first sample
    double samples_per_insert = 0;  ///< 0: no limit, only min_size counts
    uint64_t rows_per_insert = 1;   ///< most rows of one insert
    uint64_t rows_per_sample = 1;   ///< most rows of one sample
    double slack = 0;               ///< in samples: at least so much on either side
  };
  struct Counters {
    uint64_t inserted = 0, sampled = 0;
  };

  /// Throws Error E0807 unless the ratio is finite and >= 0.
  explicit Limiter(const Options& options);

  bool can_insert(uint64_t rows) const;
  bool can_sample(uint64_t rows) const;
  void insert(uint64_t rows) { counters_.inserted += rows; }
  void sample(uint64_t rows) { counters_.sampled += rows; }

  const Counters& counters() const { return counters_; }  ///< for checkpoints
  void restore(const Counters& counters) { counters_ = counters; }

 private:
  double lead(uint64_t inserted, uint64_t sampled) const;

  Options options_;
  double slack_;
  Counters counters_;
};

}  // namespace spar::replay
