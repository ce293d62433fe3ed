// A run of scripts: everything of a training but plugin files.
#pragma once

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/train/training_loop.hpp"
#include "plugins/strategies/independent/independent.hpp"
#include "spar/plugin.hpp"
#include "support/files.hpp"
#include "support/scripted.hpp"

namespace spar::test {

/// What an observer was told.
struct Diary : train::Observer {
  void logged(uint64_t step, const std::vector<train::Metrics::Value>&) override { logs.push_back(step); }
  void evaluated(const train::EvaluationResult& result) override { evaluations.push_back(result); }
  void saved(const checkpoint::Outcome& outcome) override {
    BOOST_TEST(!outcome.error.has_value());
    saves.push_back(outcome.step);
    if (outcome.best) best.push_back(outcome.step);
  }
  train::Interruption interruption() override {
    ++asked;
    return interrupt ? interrupt() : train::Interruption::none;
  }
  std::vector<uint64_t> logs, saves, best;
  std::vector<train::EvaluationResult> evaluations;
  std::function<train::Interruption()> interrupt;
  uint64_t asked = 0;
};

/// Those of the strategy `independent`, none of them said.
inline config::Options independent_options() {
  return config::default_options(
      std::make_shared<config::Component>(config::copy_component(*detail::component<independent::Independent>())));
}

struct ScriptedRun {
  ScriptedRun() {
    experiment.env.id = world.component().id;
    experiment.env.options = world.options();
    experiment.algorithm.id = script.component().id;
    experiment.algorithm.options = script.options();
    experiment.checkpoint.every_seconds = 0;
    experiment.checkpoint.keep_last = 100;
    experiment.eval.episodes = 1;
    world.terminated = [](const Moment& m) { return m.t == 10; };
  }
  void stop_when(config::Condition::Measure measure, double value) {
    experiment.stop.any.push_back({measure, value, 1});
  }

  /// Puts the training together; `with`: the strategy, else `independent`.
  train::Training& build(ScriptedStrategy* with = nullptr) {
    if (with) {
      experiment.strategy.id = with->component().id;
      experiment.strategy.options = with->options();
    } else {
      experiment.strategy.id = "org.spar.independent";
      experiment.strategy.options = independent_options();
      experiment.strategy.options.values[0].data = overlap;
    }
    training = std::make_unique<train::Training>(
        experiment,
        [this, with](uint32_t kind, std::string_view) -> const spar_component& {
          if (kind == SPAR_KIND_ENV) return world.component();
          if (kind == SPAR_KIND_ALGO) return script.component();
          return with ? with->component() : *detail::component<independent::Independent>();
        },
        scripted_host(), threads);
    return *training;
  }
  /// Runs what was built, from the start.
  train::LoopResult run() {
    if (!training) build();
    training->start();
    return go_on();
  }
  train::LoopResult go_on() {
    checkpoint::PosixFileSystem files;
    checkpoint::Writer writer(checkpoint::Directory(files, directory.path() / "checkpoints", 100));
    train::Recorder recorder(directory.path());
    train::LoopResult result;
    const auto hear = [&] {
      writer.flush();
      for (const auto& outcome : writer.poll()) diary.saved(outcome);
    };
    try {
      result = train::run_loop(*training, recorder, writer, "{}", diary);
    } catch (...) {
      hear();
      throw;
    }
    hear();
    return result;
  }

  bool overlap = false;  ///< of the strategy `independent`
  uint32_t threads = 1;
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  config::Experiment experiment;
  TemporaryDirectory directory;
  Diary diary;
  std::unique_ptr<train::Training> training;
};

using Steps = std::vector<uint64_t>;
using Measure = config::Condition::Measure;

}  // namespace spar::test
