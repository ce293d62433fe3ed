// Tells of a run while it goes on: the panel or plain lines on standard error, JSON lines on standard output, and the
// run's log.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/train/observer.hpp"
#include "host/spar/panel.hpp"
#include "host/spar/run_log.hpp"

namespace spar::host {

struct WatcherOptions {
  bool quiet = false, verbose = false, json = false;
  std::string run;   ///< name of its directory
  std::string path;  ///< of its directory
  uint64_t seed = 1;
  std::optional<uint64_t> budget;  ///< steps
  /// Asked for a warning with the memory and the disk that the run needs; may throw to refuse the run.
  std::function<std::string(uint64_t, uint64_t)> check_resources;
};

class Watcher : public train::Observer {
 public:
  Watcher(WatcherOptions options, const Terminal& terminal, RunLog& log);

  void prepared(uint64_t memory_bytes, uint64_t checkpoint_bytes) override;
  void stepped() override;
  void progressed(const train::Progress& progress) override;
  void logged(uint64_t step, const std::vector<train::Metrics::Value>& values) override;
  void evaluated(const train::EvaluationResult& result) override;
  void saved(const checkpoint::Outcome& outcome) override;
  void warned(const std::string& text) override;
  train::Interruption interruption() override;

  /// The panel's last state stays on the terminal.
  void finish();
  /// Has the loop begun?
  bool entered() const { return asked_ > 0; }
  /// The newest checkpoint was not saved: why.
  const std::optional<Error>& unsaved() const { return unsaved_; }

 private:
  bool panel() const { return terminal_.panel && !options_.quiet; }
  void say(const std::string& line);
  void show_warning(const std::string& text);
  void tell_plugin_warnings();

  WatcherOptions options_;
  Terminal terminal_;
  RunLog& log_;
  Panel panel_;
  View view_;
  uint64_t plugin_warnings_ = 0;  ///< told so far
  uint64_t asked_ = 0;            ///< times that interruption() was asked
  bool stopping_ = false;
  std::chrono::steady_clock::time_point progress_told_{}, speed_noted_{};
  std::optional<Error> unsaved_;
};

/// Since the kernel started this process, in steps of 10 ms.
double milliseconds_since_start();

}  // namespace spar::host
