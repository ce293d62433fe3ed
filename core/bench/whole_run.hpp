// One whole training, with all that a run does, for measurements.
#pragma once

#include <string>
#include <vector>

#include "core/base/profile.hpp"
#include "core/train/observer.hpp"
#include "core/train/plugins.hpp"
#include "core/train/training.hpp"

namespace spar::bench {

struct Run {
  double seconds = 0;  ///< of processor time, the writer of checkpoints included
  uint64_t steps = 0, updates = 0;
  std::string parameters_sha256;
};

/// Where a run is at each line of its metrics: parts of it can be compared without its start and its end.
class Pace : public train::Observer {
 public:
  struct Mark {
    uint64_t step;
    double thread, elapsed;  ///< seconds of the training thread, and of the clock on the wall
    uint64_t memory;         ///< bytes that the process has in use
  };

  void logged(uint64_t step, const std::vector<train::Metrics::Value>& values) override;
  /// The line nearest to a share of the run in [0, 1].
  const Mark& at(double share) const;
  /// By one of the two clocks, between two shares of the run.
  double seconds_per_step(double Mark::*clock, double from, double to) const;

 private:
  std::vector<Mark> marks_;
};

struct RunOptions {
  Profile* profile = nullptr;
  train::Observer* observer = nullptr;
  uint32_t threads = 1;
  rollout::ComponentLoader load = {};   ///< none: from the registry
  config::ComponentLookup lookup = {};  ///< none: from the registry
};

/// Trains in a directory that is removed again, by default without evaluations but the last. `assignments`:
/// environment, algorithm and end.
Run whole_run(Plugins& plugins, const std::vector<std::string>& assignments, const RunOptions& options = {});

/// The condition that ends a run after so many steps.
std::string stop_after(uint64_t steps);

}  // namespace spar::bench
