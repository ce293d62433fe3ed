// Who watches a run: the command line's panel, a test, an embedder. All calls come from the training thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/writer.hpp"
#include "core/train/metrics.hpp"

namespace spar::train {

struct Progress {
  uint64_t env_steps = 0, train_steps = 0, episodes = 0;
  std::optional<uint64_t> budget;
  double seconds = 0;                   ///< of training, over all starts
  double steps_per_second = 0;          ///< lately
  std::optional<double> recent_return;  ///< mean of the latest training episodes
  std::optional<uint64_t> iterations;   ///< of a run that solves a game, which has neither steps nor episodes

  /// What `budget` counts.
  uint64_t done() const { return iterations.value_or(env_steps); }
};

struct EvaluationResult {
  uint64_t step = 0;
  std::vector<double> returns;
  double mean = 0, iqm = 0;
  bool best = false;                ///< the best so far
  std::optional<double> nash_conv;  ///< of the greedy play, in games with a tree of moderate size
};

enum class Interruption { none, save_and_stop, preempt, abandon };

class Observer {
 public:
  virtual ~Observer() = default;
  /// Once, before anything is trained or restored: what the run needs. May throw to refuse it.
  virtual void prepared(uint64_t /*memory_bytes*/, uint64_t /*checkpoint_bytes*/) {}
  virtual void stepped() {}                                                      ///< once, after the first step
  virtual void progressed(const Progress&) {}                                    ///< about ten times a second
  virtual void logged(uint64_t /*step*/, const std::vector<Metrics::Value>&) {}  ///< every metrics line
  virtual void evaluated(const EvaluationResult&) {}
  virtual void saved(const checkpoint::Outcome&) {}  ///< or not: see its error
  virtual void warned(const std::string&) {}
  virtual Interruption interruption() { return Interruption::none; }  ///< asked before every step; must be cheap
};

}  // namespace spar::train
