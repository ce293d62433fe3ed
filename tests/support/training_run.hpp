// A whole training in a test: real plugins from the build tree, a run directory in a temporary folder.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plugin/registry.hpp"
#include "core/train/observer.hpp"
#include "core/train/training.hpp"
#include "core/train/training_loop.hpp"
#include "support/files.hpp"

namespace spar::test {

/// The plugins of the build tree, found and ready. One per process: plugins are initialised once.
struct Plugins {
  Plugins();
  plugin::HostTable host;
  std::unique_ptr<plugin::Registry> registry;
};
Plugins& plugins();

class TrainingRun {
 public:
  /// `source`: a preset's name or TOML text; later assignments win.
  explicit TrainingRun(const std::string& source, const std::vector<std::string>& assignments = {},
                       uint32_t threads = 1);

  /// Trains until a stop condition holds.
  train::LoopResult run();
  /// The same from where the training stands, which was restored.
  train::LoopResult go_on();
  /// `call` is made after each evaluation.
  void at_evaluations(std::function<void()> call) { log_.also = std::move(call); }

  train::Training& training() { return *training_; }
  const std::vector<train::EvaluationResult>& evaluations() const { return log_.results; }
  double best_return() const { return training_->counters.best_return.value_or(0); }
  const std::filesystem::path& directory() const { return directory_.path(); }

  /// Outputs of a learner's network for the given rows of inputs, without noise; `more`: of its second input, if it has
  /// one; `agent`: whose learner.
  std::vector<float> forward(const std::string& network, const std::vector<float>& inputs, size_t rows, size_t outputs,
                             const std::vector<float>& more = {}, size_t agent = 0);
  /// Parameters of a learner's network.
  std::vector<float> values(const std::string& network);

 private:
  struct Log : train::Observer {
    void evaluated(const train::EvaluationResult& result) override {
      results.push_back(result);
      if (also) also();
    }
    std::vector<train::EvaluationResult> results;
    std::function<void()> also;
  };

  TemporaryDirectory directory_;
  config::Experiment experiment_;
  std::unique_ptr<train::Training> training_;
  Log log_;
};

}  // namespace spar::test
