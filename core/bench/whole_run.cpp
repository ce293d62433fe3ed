#include "core/bench/whole_run.hpp"

#include <cmath>

#include "core/base/memory.hpp"
#include "core/base/temporary_directory.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/train/training_loop.hpp"

namespace spar::bench {

void Pace::logged(uint64_t step, const std::vector<train::Metrics::Value>&) {
  marks_.push_back({step, thread_seconds(), seconds_of(CLOCK_MONOTONIC), memory_in_use()});
}

const Pace::Mark& Pace::at(double share) const {
  return marks_.at(static_cast<size_t>(std::lround(share * static_cast<double>(marks_.size() - 1))));
}

double Pace::seconds_per_step(double Mark::*clock, double from, double to) const {
  return (at(to).*clock - at(from).*clock) / static_cast<double>(at(to).step - at(from).step);
}

Run whole_run(Plugins& plugins, const std::vector<std::string>& assignments, const RunOptions& options) {
  const TemporaryDirectory place("spar-bench");
  config::Sources sources;
  sources.assignments = {"name=bench", "eval.every=1_000_000_000", "eval.episodes=1"};
  sources.assignments.insert(sources.assignments.end(), assignments.begin(), assignments.end());
  const config::Experiment experiment =
      config::load(sources, options.lookup ? options.lookup : train::lookup_in(plugins.registry()));
  const double start = process_seconds();
  train::Training training(experiment, options.load ? options.load : train::loader_in(plugins.registry()),
                           *plugins.table().host(), options.threads);
  checkpoint::PosixFileSystem files;
  train::Observer nobody;
  {
    checkpoint::Writer writer(checkpoint::Directory(files, place.path() / "checkpoints"));
    train::Recorder recorder(place.path());
    training.time(options.profile);
    training.start();
    train::run_loop(training, recorder, writer, "{}", options.observer ? *options.observer : nobody);
  }
  Run run;
  run.seconds = process_seconds() - start;
  run.steps = training.counters.env_steps;
  run.updates = training.counters.updates;
  run.parameters_sha256 = training.parameters_sha256();
  return run;
}

std::string stop_after(uint64_t steps) { return "stop={any=[{env_steps=" + std::to_string(steps) + "}]}"; }

}  // namespace spar::bench
