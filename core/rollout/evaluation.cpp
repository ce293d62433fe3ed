#include "core/rollout/evaluation.hpp"

#include <algorithm>
#include <memory>

#include "core/rollout/actions.hpp"
#include "core/rollout/players.hpp"

namespace spar::rollout {
namespace {

/// What a copy is playing.
struct Play {
  uint64_t episode = 0;
  uint64_t length = 0;
  double total = 0;
  bool live = false;
};

/// Copies that nobody plays are stepped along: with an action that their mask allows.
void step_along(AgentPort& port, uint64_t copy) {
  if (!port.masks() || !port.acts(copy)) return;
  const uint8_t* allowed = port.masks() + copy * static_cast<uint64_t>(port.action.n);
  port.in->data<int64_t>(0)[copy] =
      std::find_if(allowed, allowed + port.action.n, [](uint8_t a) { return a != 0; }) - allowed;
}

/// Actions of one agent for the copies where it moves, and are live, only.
struct Seat {
  std::unique_ptr<Batch> actions;
  std::vector<uint64_t> lanes;
};

}  // namespace

Returns play(Environment& environment, const std::vector<Opponent*>& players, uint64_t time_limit, uint64_t episodes,
             uint64_t first_seed, const std::function<bool()>& cancelled) {
  const uint64_t copies = environment.copies();
  Returns results{std::vector<double>(episodes, 0.0),
                  std::vector<std::vector<double>>(players.size(), std::vector<double>(episodes, 0.0))};
  std::vector<Play> plays(copies);
  std::vector<uint64_t> seeds(copies, 0);
  std::vector<uint8_t> fresh(copies, 0);
  std::vector<Seat> seats;
  for (const AgentPort& port : environment.agents()) {
    Seat seat{std::make_unique<Batch>(copies), {}};
    add_action_column(*seat.actions, port.action);
    seats.push_back(std::move(seat));
  }

  uint64_t begun = 0;
  const auto begin = [&](uint64_t copy) {
    plays[copy] = {begun, 0, 0, begun < episodes};
    if (!plays[copy].live) return;
    seeds[copy] = first_seed + begun++;
    fresh[copy] = 1;
    for (Opponent* player : players) player->begin(copy);
  };
  for (uint64_t copy = 0; copy < copies; ++copy) begin(copy);
  environment.reset(nullptr, seeds.data());

  for (;;) {
    if (std::none_of(plays.begin(), plays.end(), [](const Play& play) { return play.live; })) return results;
    if (cancelled && cancelled()) return {};

    for (size_t agent = 0; agent < seats.size(); ++agent) {
      Seat& seat = seats[agent];
      AgentPort& port = environment.agents()[agent];
      std::vector<uint64_t>& lanes = seat.lanes;
      lanes.clear();
      for (uint64_t copy = 0; copy < copies; ++copy) {
        if (!plays[copy].live)
          step_along(port, copy);
        else if (port.acts(copy))
          lanes.push_back(copy);
      }
      if (lanes.empty()) continue;
      players[agent]->act(lanes, *seat.actions);
      send_actions(*seat.actions, lanes.size(), lanes.data(), port, players[agent]->label(), port.masks());
    }
    environment.step();

    std::fill(fresh.begin(), fresh.end(), 0);
    const AgentPort& front = environment.agents().front();
    for (uint64_t copy = 0; copy < copies; ++copy) {
      Play& play = plays[copy];
      const bool over = front.out->data<uint8_t>(front.terminated)[copy] ||
                        (front.truncated >= 0 && front.out->data<uint8_t>(static_cast<size_t>(front.truncated))[copy]);
      if (!play.live) {  // idle copies are stepped along: they must not be stepped past an end
        fresh[copy] = over;
        continue;
      }
      for (size_t agent = 0; agent < seats.size(); ++agent) {
        const AgentPort& port = environment.agents()[agent];
        const double reward = port.out->data<float>(port.reward)[copy];
        play.total += reward / static_cast<double>(seats.size());
        results.by_agent[agent][play.episode] += reward;
      }
      ++play.length;
      if (!over && !(time_limit > 0 && play.length >= time_limit)) continue;
      results.mean[play.episode] = play.total;
      fresh[copy] = 1;
      begin(copy);
    }
    if (std::find(fresh.begin(), fresh.end(), 1) != fresh.end()) environment.reset(fresh.data(), seeds.data());
  }
}

std::vector<double> evaluate(Environment& environment, const std::vector<Learner*>& learners, uint64_t time_limit,
                             uint64_t episodes, uint64_t first_seed, const std::function<bool()>& cancelled) {
  std::vector<std::unique_ptr<GreedyPlayer>> players;
  std::vector<Opponent*> seats;
  for (size_t agent = 0; agent < learners.size(); ++agent) {
    players.push_back(std::make_unique<GreedyPlayer>(*learners[agent], environment, agent));
    seats.push_back(players.back().get());
  }
  return play(environment, seats, time_limit, episodes, first_seed, cancelled).mean;
}

}  // namespace spar::rollout
