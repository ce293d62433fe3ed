// log.jsonl of a run: what happened when. Unlike metrics.jsonl it holds wall-clock times.
#pragma once

#include <atomic>
#include <boost/json/object.hpp>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/run/json_lines.hpp"

namespace spar::host {

/// For any thread: plugins may log from theirs.
class RunLog {
 public:
  /// Throws E0604 or E0607.
  explicit RunLog(const std::filesystem::path& file) : lines_(file) {}

  /// {"seq":..,"time":"2026-01-31T23:59:59.123Z","event":..,..}
  void write(const std::string& event, const boost::json::object& fields = {});

  /// A warning of a plugin that the person has not been told yet.
  void keep_warning(std::string text);
  std::vector<std::string> take_warnings();

 private:
  std::mutex mutex_;
  std::vector<std::string> warnings_;
  std::atomic<bool> any_warnings_{false};  ///< so that asking costs nothing
  run::JsonLines lines_;
};

/// Where the lines of plugins go while this object lives: to `log`, which keeps warnings and errors for whoever tells
/// them, or, if `echo`, to `log` and standard error at once. Elsewhere they go nowhere.
class PluginLog {
 public:
  PluginLog(RunLog& log, bool echo);
  ~PluginLog();
  PluginLog(const PluginLog&) = delete;
  PluginLog& operator=(const PluginLog&) = delete;
};

/// Outside of runs: warnings and errors of plugins go to standard error, everything if `verbose`.
void plugin_log_to_terminal(bool verbose);

}  // namespace spar::host
