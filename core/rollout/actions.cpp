#include "core/rollout/actions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "spar/rl/action.hpp"

namespace spar::rollout {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

void add_action_column(Batch& actions, const Space& action) {
  if (action.kind == SPAR_SPACE_DISCRETE) {
    actions.add("action", SPAR_DTYPE_INT, 64, {});
  } else {
    actions.add("action", SPAR_DTYPE_FLOAT, 32, action.shape);
  }
}

namespace {

/// One of the allowed actions.
int64_t uniform_allowed(const uint8_t* mask, int64_t n, Philox& random) {
  const auto allowed = static_cast<uint64_t>(n - std::count(mask, mask + n, 0));
  uint64_t skip = random.below(allowed);
  int64_t a = 0;
  while (mask[a] == 0 || skip-- > 0) ++a;
  return a;
}

}  // namespace

void uniform_actions(const Space& action, Batch& actions, uint64_t rows, Philox& random, const uint8_t* masks) {
  if (action.kind == SPAR_SPACE_DISCRETE) {
    auto* out = actions.data<int64_t>(0);
    const auto n = static_cast<uint64_t>(action.n);
    for (uint64_t i = 0; i < rows; ++i)
      out[i] = masks ? uniform_allowed(masks + i * n, action.n, random) : static_cast<int64_t>(random.below(n));
    return;
  }
  auto* out = actions.data<float>(0);
  const uint64_t numbers = rows * static_cast<uint64_t>(action.width());
  for (uint64_t i = 0; i < numbers; ++i) out[i] = static_cast<float>(2.0 * random.uniform() - 1.0);
}

void send_actions(const Batch& actions, uint64_t rows, const uint64_t* rows_to, AgentPort& agent,
                  const std::string& algorithm, const uint8_t* masks) {
  const Space& space = agent.action;
  if (space.kind == SPAR_SPACE_DISCRETE) {
    const auto* from = actions.data<int64_t>(0);
    auto* to = agent.in->data<int64_t>(0);
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t copy = rows_to ? rows_to[i] : i;
      if (from[i] < 0 || from[i] >= space.n) [[unlikely]] {
        throw Error("E0706", Exit::crash,
                    algorithm + " chose action " + std::to_string(from[i]) + " for agent `" + agent.id +
                        "`, whose actions are " + space.name());
      }
      if (masks && !masks[static_cast<int64_t>(copy) * space.n + from[i]]) [[unlikely]] {
        throw Error("E0706", Exit::crash,
                    algorithm + " chose action " + std::to_string(from[i]) + " for agent `" + agent.id +
                        "`, which its action_mask forbids now");
      }
      to[copy] = from[i];
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
      const double low = space.low.empty() ? -kUnbounded : space.low[j];
      const double high = space.high.empty() ? kUnbounded : space.high[j];
      const double action = static_cast<double>(raw);
      const double boxed =
          space.bounded(j) ? rl::to_box(rl::clamp_action(action), low, high) : std::fmin(std::fmax(action, low), high);
      row[j] = static_cast<float>(boxed);
    }
  }
}

}  // namespace spar::rollout
