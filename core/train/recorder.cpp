#include "core/train/recorder.hpp"

#include <boost/json.hpp>
#include <chrono>

#include "core/run/summary.hpp"

namespace spar::train {
namespace {

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Recorder::Recorder(const std::filesystem::path& seed_directory)
    : metrics_(seed_directory / "metrics.jsonl"),
      evaluations_(seed_directory / "eval.jsonl"),
      events_(seed_directory / "tb", wall_time()) {}

void Recorder::cut_to(uint64_t metrics_seq, uint64_t eval_seq, uint64_t env_steps) {
  metrics_.cut_to(metrics_seq);
  evaluations_.cut_to(eval_seq);
  events_.resumed_at(wall_time(), static_cast<int64_t>(env_steps) + 1);
}

uint64_t Recorder::metrics(uint64_t step, const std::vector<Metrics::Value>& values) {
  boost::json::object line{{"step", step}};
  std::vector<run::Scalar> scalars;
  for (const auto& [name, value] : values) {
    line[name] = value;
    scalars.push_back({name, value});
  }
  metrics_.write(line);
  events_.write(wall_time(), static_cast<int64_t>(step), scalars);
  return metrics_.seq();
}

uint64_t Recorder::evaluation(uint64_t step, const std::vector<double>& returns, const run::EvalStatistics& statistics,
                              std::optional<double> nash_conv) {
  boost::json::object line{
      {"step", step}, {"return", run::to_json(statistics)}, {"returns", boost::json::value_from(returns)}};
  std::vector<run::Scalar> scalars = {{"eval/return", statistics.mean}, {"eval/return_iqm", statistics.iqm}};
  if (nash_conv) {
    line["nash_conv"] = *nash_conv;
    scalars.push_back({"eval/nash_conv", *nash_conv});
  }
  evaluations_.write(line);
  events_.write(wall_time(), static_cast<int64_t>(step), scalars);
  return evaluations_.seq();
}

void Recorder::sync() {
  metrics_.sync();
  evaluations_.sync();
}

}  // namespace spar::train
