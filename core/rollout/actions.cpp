#include "core/rollout/actions.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace spar::rollout {

void uniform_actions(const Space& action, Batch& actions, uint64_t rows, Philox& random) {
  if (action.kind == SPAR_SPACE_DISCRETE) {
    auto* out = actions.data<int64_t>(0);
    for (uint64_t i = 0; i < rows; ++i) out[i] = static_cast<int64_t>(random.below(static_cast<uint64_t>(action.n)));
    return;
  }
  auto* out = actions.data<float>(0);
  const uint64_t numbers = rows * static_cast<uint64_t>(action.width());
  for (uint64_t i = 0; i < numbers; ++i) out[i] = static_cast<float>(2.0 * random.uniform() - 1.0);
}

void send_actions(const Batch& actions, uint64_t rows, const uint64_t* rows_to, AgentPort& agent,
                  const std::string& algorithm) {
  const Space& space = agent.action;
  if (space.kind == SPAR_SPACE_DISCRETE) {
    const auto* from = actions.data<int64_t>(0);
    auto* to = agent.in->data<int64_t>(0);
    for (uint64_t i = 0; i < rows; ++i) {
      if (from[i] < 0 || from[i] >= space.n) [[unlikely]] {
        throw Error("E0706", Exit::crash,
                    algorithm + " chose action " + std::to_string(from[i]) + " for agent `" + agent.id +
                        "`, whose actions are " + space.name());
      }
      to[rows_to ? rows_to[i] : i] = from[i];
    }
    return;
  }
  const auto* from = actions.data<float>(0);
  auto* to = agent.in->data<float>(0);
  const auto width = static_cast<uint64_t>(space.width());
  for (uint64_t i = 0; i < rows; ++i) {
    float* row = to + (rows_to ? rows_to[i] : i) * width;
    for (uint64_t j = 0; j < width; ++j) {
      const float raw = from[i * width + j];
      if (!std::isfinite(raw)) [[unlikely]] {
        throw Error("E0706", Exit::crash,
                    algorithm + " chose an action that is not finite for agent `" + agent.id + "`");
      }
      const bool bounded =
          !space.low.empty() && !space.high.empty() && std::isfinite(space.low[j]) && std::isfinite(space.high[j]);
      if (!bounded) {
        row[j] = raw;
        continue;
      }
      const double unit = std::clamp(static_cast<double>(raw), -1.0, 1.0);
      const double middle = 0.5 * (space.low[j] + space.high[j]), half = 0.5 * (space.high[j] - space.low[j]);
      row[j] = static_cast<float>(std::clamp(middle + half * unit, space.low[j], space.high[j]));
    }
  }
}

}  // namespace spar::rollout
