// All that a training comes to, for comparing two.
#pragma once

#include "support/training_run.hpp"

namespace spar::test {

struct Numbers {
  std::string sha256, metrics;
  double evaluated;
  bool operator==(const Numbers&) const = default;
};

inline Numbers numbers_of(const std::string& source, const std::vector<std::string>& assignments,
                          uint32_t threads = 1) {
  TrainingRun run(source, assignments, threads);
  run.run();
  return {run.training().parameters_sha256(), read_file(run.directory() / "metrics.jsonl"), run.best_return()};
}

}  // namespace spar::test
