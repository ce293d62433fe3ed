#include "core/train/stopping.hpp"

#include <algorithm>

namespace spar::train {
namespace {

/// Were the last `consecutive` evaluations all at least `value`?
bool reached(const std::vector<double>& evaluations, double value, uint32_t consecutive) {
  return evaluations.size() >= consecutive && std::all_of(evaluations.end() - consecutive, evaluations.end(),
                                                          [value](double mean) { return mean >= value; });
}

/// Evaluations since the first one that reached the best return.
double since_best(const std::vector<double>& evaluations) {
  if (evaluations.empty()) return 0;
  const auto best = std::max_element(evaluations.begin(), evaluations.end());
  return static_cast<double>(evaluations.end() - best - 1);
}

}  // namespace

bool holds(const config::Condition& condition, const Situation& situation) {
  using Measure = config::Condition::Measure;
  switch (condition.measure) {
    case Measure::env_steps:
      return static_cast<double>(situation.env_steps) >= condition.value;
    case Measure::train_steps:
      return static_cast<double>(situation.train_steps) >= condition.value;
    case Measure::episodes:
      return static_cast<double>(situation.episodes) >= condition.value;
    case Measure::seconds:
      return situation.seconds >= condition.value;
    case Measure::eval_return:
      return reached(*situation.evaluations, condition.value, condition.consecutive);
    case Measure::no_improvement:
      return since_best(*situation.evaluations) >= condition.value;
    case Measure::iterations:
      return static_cast<double>(situation.iterations) >= condition.value;
    case Measure::exploitability:
      return situation.exploitability <= condition.value;
  }
  return false;
}

std::optional<std::string> fired(const config::StopConfig& stop, const Situation& situation) {
  for (const auto& condition : stop.any) {
    if (holds(condition, situation)) return config::name(condition.measure);
  }
  const auto met = [&situation](const config::Condition& condition) { return holds(condition, situation); };
  if (!stop.all.empty() && std::all_of(stop.all.begin(), stop.all.end(), met)) return "all";
  return std::nullopt;
}

uint64_t transitions_left(const config::StopConfig& stop, uint64_t env_steps) {
  uint64_t left = ~uint64_t{0};
  for (const auto& condition : stop.any) {
    if (condition.measure != config::Condition::Measure::env_steps) continue;
    const auto at = static_cast<uint64_t>(condition.value);
    left = std::min(left, at > env_steps ? at - env_steps : 0);
  }
  return left;
}

}  // namespace spar::train
