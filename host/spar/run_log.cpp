#include "host/spar/run_log.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <boost/json.hpp>
#include <chrono>
#include <ctime>
#include <utility>

#include "host/spar/output.hpp"

namespace spar::host {
namespace {

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[48];
  const size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(rest));
  return text;
}

/// Passes lines on to a run's log, standard error, or both.
class Sink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  Sink(RunLog* log, spdlog::level::level_enum echo_from) : log_(log), echo_from_(echo_from) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string text(message.payload.data(), message.payload.size());
    const auto name = spdlog::level::to_string_view(message.level);
    const std::string level(name.data(), name.size());
    if (log_) log_->write("plugin", {{"level", level}, {"text", text}});
    if (message.level >= echo_from_)
      print_error(level + ": " + text + "\n");
    else if (log_ && message.level >= spdlog::level::warn)
      log_->keep_warning(text);
  }
  void flush_() override {}

  RunLog* log_;
  spdlog::level::level_enum echo_from_;
};

void install(std::shared_ptr<Sink> sink) {
  auto logger = std::make_shared<spdlog::logger>("spar", std::move(sink));
  logger->set_level(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace

void RunLog::write(const std::string& event, const boost::json::object& fields) {
  boost::json::object line{{"time", utc_now()}, {"event", event}};
  for (const auto& [key, value] : fields) line[key] = value;
  const std::lock_guard lock(mutex_);
  lines_.write(line);
}

void RunLog::keep_warning(std::string text) {
  const std::lock_guard lock(mutex_);
  warnings_.push_back(std::move(text));
  any_warnings_ = true;
}

std::vector<std::string> RunLog::take_warnings() {
  if (!any_warnings_) return {};
  const std::lock_guard lock(mutex_);
  any_warnings_ = false;
  return std::exchange(warnings_, {});
}

PluginLog::PluginLog(RunLog& log, bool echo) {
  install(std::make_shared<Sink>(&log, echo ? spdlog::level::trace : spdlog::level::off));
}

PluginLog::~PluginLog() { install(std::make_shared<Sink>(nullptr, spdlog::level::off)); }

void plugin_log_to_terminal(bool verbose) {
  install(std::make_shared<Sink>(nullptr, verbose ? spdlog::level::trace : spdlog::level::warn));
}

}  // namespace spar::host
