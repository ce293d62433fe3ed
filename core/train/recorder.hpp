// The files that a run writes about itself: metrics.jsonl and eval.jsonl, which depend on nothing but the run (no
// wall-clock time), and TensorBoard's event file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/json_lines.hpp"
#include "core/run/statistics.hpp"
#include "core/run/tensorboard.hpp"
#include "core/train/metrics.hpp"

namespace spar::train {

class Recorder {
 public:
  /// Opens the files of `seed_directory` (RUN/seed-N). Throws E0604 or E0607.
  explicit Recorder(const std::filesystem::path& seed_directory);

  /// For resuming: drops what was written after the checkpoint.
  void cut_to(uint64_t metrics_seq, uint64_t eval_seq, uint64_t env_steps);

  /// {"seq":..,"step":..,"loss/q":..,..}; returns the number of the line.
  uint64_t metrics(uint64_t step, const std::vector<Metrics::Value>& values);
  /// {"seq":..,"step":..,"return":{mean, iqm, ..},"returns":[..]} and, if known, "nash_conv"; returns the number of the
  /// line.
  uint64_t evaluation(uint64_t step, const std::vector<double>& returns, const run::EvalStatistics& statistics,
                      std::optional<double> nash_conv = {});

  /// Lines that the disk did not take.
  uint64_t lost() const { return metrics_.lost() + evaluations_.lost(); }
  void sync();

 private:
  run::JsonLines metrics_, evaluations_;
  run::EventFile events_;
};

}  // namespace spar::train
