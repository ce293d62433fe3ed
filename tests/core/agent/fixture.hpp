// Agents in tests: the plugins, and simulators whose next step is a pure function, so that every loop can be repeated.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/agent/agent.hpp"
#include "core/config/assignment.hpp"
#include "core/config/toml.hpp"

namespace spar::test {

inline Plugins& agent_plugins() {
  namespace fs = std::filesystem;
  static Plugins instance(
      {fs::path(SPAR_BUILD_DIR) / "tests/agent_plugins", fs::path(SPAR_BUILD_DIR) / "lib/spar/plugins"});
  return instance;
}

/// "E1001 sentence"; "nothing was thrown" if `call` throws nothing.
template <class Call>
std::string thrown(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() + " " + error.what();
  }
  return "nothing was thrown";
}

inline std::vector<std::byte> bytes_of(const Agent& agent) { return checkpoint::encode(agent.get_state()); }

constexpr const char* kSmallDqn =
    "hidden_layers = [8]\nbatch_size = 8\nbuffer_size = 100\nwarm_up = 10\nlr = 1e-2\nn_steps = 3\n"
    "state_transform = \"normalise\"\nreward_transform = \"normalise\"";

/// The small one, with some of its options replaced ("lr = 1e-3").
inline Agent make_dqn(const std::vector<std::string>& replaced = {}, const AgentSettings& settings = {.steps = 1'000}) {
  config::Table options = config::parse_toml(kSmallDqn, "options", {});
  for (const std::string& option : replaced) config::assign(options, option);
  return Agent::create(agent_plugins(), "dqn", {Space::box(2, -10, 10), Space::discrete(3)}, options, settings);
}

/// Asymmetric bounds, different in each dimension.
inline Agent make_steady(const std::string& options = "", AgentSettings settings = {}) {
  return Agent::create(agent_plugins(), "org.example.steady", {Space::box(2, -10, 10), Space::box({-1, 0}, {3, 10})},
                       options, settings);
}

inline Agent make_qtable() {
  return Agent::create(agent_plugins(), "qtable", {Space::box(1, -10, 10), Space::discrete(3)});
}

/// The observation at time t; an episode ends every 7 steps, in turns terminated and truncated.
inline std::vector<float> observe(uint64_t t, size_t width) {
  std::vector<float> obs;
  for (size_t j = 0; j < width; ++j) obs.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(t + 3 * j))));
  return obs;
}

/// `n` steps of one copy from time `t` on; the reward depends on the action.
inline void drive(Agent& agent, uint64_t t, uint64_t n) {
  Space space = agent.obs_space();
  const size_t width = space.width();
  for (const uint64_t end = t + n; t < end; ++t) {
    const std::vector<float> obs = observe(t, width), next = observe(t + 1, width);
    const Actions actions = agent.act(obs);
    const double choice = actions.box.empty() ? static_cast<double>(actions.discrete[0]) : actions.box[0];
    agent.step({.obs = obs,
                .action = actions,
                .reward = static_cast<float>(choice * obs[0]),
                .next_obs = next,
                .terminated = t % 14 == 6,
                .truncated = t % 14 == 13});
  }
}

/// Eight rows that fit make_dqn().
inline TransitionBatch dqn_batch(uint64_t rows = 8) {
  std::vector<float> obs, next, reward;
  std::vector<int64_t> action;
  std::vector<uint8_t> terminated;
  for (uint64_t i = 0; i < rows; ++i) {
    for (const float x : observe(i, 2)) obs.push_back(x);
    for (const float x : observe(i + 1, 2)) next.push_back(x);
    action.push_back(static_cast<int64_t>(i % 3));
    reward.push_back(0.5F * static_cast<float>(i));
    terminated.push_back(i % 4 == 3);
  }
  TransitionBatch batch(rows);
  batch.add("obs", obs).add("next_obs", next).add("action", action).add("reward", reward).add("terminated", terminated);
  return batch;
}

}  // namespace spar::test
