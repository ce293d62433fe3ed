// A robot on a line finds its charging station. The simulator and the loop are this program's; the agent is spar's.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <random>

#include "core/agent/agent.hpp"

namespace {

struct Robot {  // moves one tenth to the left or to the right; the station is at 0
  float place = 0;
  int steps = 0;
  void reset(std::mt19937& random) { *this = {std::uniform_real_distribution<float>(-1, 1)(random), 0}; }
  void move(int64_t action) { place = std::clamp(place + (action == 1 ? 0.1F : -0.1F), -1.5F, 1.5F), ++steps; }
  bool charging() const { return std::abs(place) < 0.06F; }
  bool tired() const { return steps == 50; }
};

/// Plays greedily from `place`; returns the steps to the station, 50 if it is not found.
int walk(spar::Agent& agent, float place) {
  Robot robot{place, 0};
  while (!robot.charging() && !robot.tired())
    robot.move(agent.act(std::array{robot.place}, {.mode = spar::Mode::greedy}).discrete[0]);
  return robot.steps;
}

}  // namespace

int main(int count, char** words) try {
  if (count != 2) return std::cerr << "usage: own_loop /absolute/directory/of/the/plugins\n", 2;
  spar::Plugins plugins({words[1]});
  constexpr uint64_t kSteps = 4'000;
  auto agent = spar::Agent::create(plugins, "dqn", {spar::Space::box(1, -1.5, 1.5), spar::Space::discrete(2)},
                                   "hidden_layers = [32]\nlr = 2e-3\nbatch_size = 32\nwarm_up = 200\ntau = 0.02",
                                   {.steps = kSteps});
  std::mt19937 random(1);
  Robot robot;
  robot.reset(random);
  for (uint64_t step = 0; step < kSteps; ++step) {
    const std::array obs{robot.place};
    const int64_t action = agent.act(obs).discrete[0];
    robot.move(action);
    agent.step({.obs = obs,
                .action = std::span(&action, 1),
                .reward = robot.charging() ? 1.0F : -0.05F,
                .next_obs = std::array{robot.place},
                .terminated = robot.charging(),
                .truncated = !robot.charging() && robot.tired()});
    if (robot.charging() || robot.tired()) robot.reset(random);
  }
  const int left = walk(agent, -0.95F), right = walk(agent, 0.95F);
  std::cout << agent.updates() << " updates; the station is found in " << left << " and " << right << " steps\n";
  return left <= 12 && right <= 12 ? 0 : 1;
} catch (const spar::Error& error) {
  std::cerr << error.render();
  return static_cast<int>(error.exit());
}
