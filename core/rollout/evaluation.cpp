#include "core/rollout/evaluation.hpp"

#include <algorithm>
#include <deque>
#include <optional>

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
void step_along(AgentPort& port, uint64_t lane) {
  if (!port.masks() || !port.acts(lane)) return;
  const uint8_t* allowed = port.masks() + lane * static_cast<uint64_t>(port.action.n);
  port.in->data<int64_t>(0)[lane] =
      std::find_if(allowed, allowed + port.action.n, [](uint8_t a) { return a != 0; }) - allowed;
}

/// One agent, or joined ones.
struct Seat {
  Seat(AgentPort& agent, const Participant& participant, uint64_t copies)
      : port(participant.joined ? participant.joined->port() : agent),
        joined(participant.joined),
        rows_per_copy(joined ? joined->rows_per_copy() : 1),
        player(participant.opponent),
        actions(copies * rows_per_copy) {
    if (participant.learner) player = &greedy.emplace(*participant.learner, port, copies * rows_per_copy);
    add_action_column(actions, port.action);
  }

  void begin(uint64_t copy) {
    for (uint64_t i = 0; i < rows_per_copy; ++i) player->begin(copy * rows_per_copy + i);
  }
  void act(const std::vector<Play>& plays);

  AgentPort& port;
  PortView* joined;
  uint64_t rows_per_copy;
  Opponent* player;
  std::optional<GreedyPlayer> greedy;  ///< where a learner plays
  Batch actions;                       ///< rows of `lanes`
  std::vector<uint64_t> lanes;         ///< where there is a move to make, of copies that are live
};

void Seat::act(const std::vector<Play>& plays) {
  if (joined) joined->gather();
  lanes.clear();
  for (uint64_t lane = 0; lane < plays.size() * rows_per_copy; ++lane) {
    if (!plays[lane / rows_per_copy].live)
      step_along(port, lane);
    else if (port.acts(lane))
      lanes.push_back(lane);
  }
  if (!lanes.empty()) {
    player->act(lanes, actions);
    send_actions(actions, lanes.size(), lanes.data(), port, player->label(), port.masks());
  }
  if (joined) joined->scatter();
}

/// A seat for each agent or group, in the order of their first agents.
std::deque<Seat> seats_of(Environment& environment, const std::vector<Participant>& participants) {
  std::deque<Seat> seats;
  for (size_t agent = 0; agent < participants.size(); ++agent)
    if (has_seat(participants, agent))
      seats.emplace_back(environment.agents()[agent], participants[agent], environment.copies());
  return seats;
}

}  // namespace

Returns play(Environment& environment, const std::vector<Participant>& participants, uint64_t time_limit,
             uint64_t episodes, uint64_t first_seed, const std::function<bool()>& cancelled) {
  const uint64_t copies = environment.copies();
  const size_t agents = participants.size();
  Returns results{std::vector<double>(episodes, 0.0),
                  std::vector<std::vector<double>>(agents, std::vector<double>(episodes, 0.0))};
  std::vector<Play> plays(copies);
  std::vector<uint64_t> seeds(copies, 0);
  std::vector<uint8_t> fresh(copies, 0);
  std::deque<Seat> seats = seats_of(environment, participants);

  uint64_t begun = 0;
  const auto begin = [&](uint64_t copy) {
    plays[copy] = {begun, 0, 0, begun < episodes};
    if (!plays[copy].live) return;
    seeds[copy] = first_seed + begun++;
    fresh[copy] = 1;
    for (Seat& seat : seats) seat.begin(copy);
  };
  for (uint64_t copy = 0; copy < copies; ++copy) begin(copy);
  const auto reset = [&](const uint8_t* mask) {
    for (Seat& seat : seats)
      if (seat.joined) seat.joined->begin(mask);
    environment.reset(mask, seeds.data());
  };
  reset(nullptr);

  for (;;) {
    if (std::none_of(plays.begin(), plays.end(), [](const Play& play) { return play.live; })) return results;
    if (cancelled && cancelled()) return {};

    for (Seat& seat : seats) seat.act(plays);
    environment.step();

    std::fill(fresh.begin(), fresh.end(), 0);
    const AgentPort& front = environment.agents().front();
    for (uint64_t copy = 0; copy < copies; ++copy) {
      Play& play = plays[copy];
      const bool over = front.over(copy);
      if (!play.live) {  // idle copies are stepped along: they must not be stepped past an end
        fresh[copy] = over;
        continue;
      }
      for (size_t agent = 0; agent < agents; ++agent) {
        const AgentPort& port = environment.agents()[agent];
        const auto reward = static_cast<double>(port.out->data<float>(port.reward)[copy]);
        play.total += reward / static_cast<double>(agents);
        results.by_agent[agent][play.episode] += reward;
      }
      ++play.length;
      if (!over && !(time_limit > 0 && play.length >= time_limit)) continue;
      results.mean[play.episode] = play.total;
      fresh[copy] = 1;
      begin(copy);
    }
    if (std::find(fresh.begin(), fresh.end(), 1) != fresh.end()) reset(fresh.data());
  }
}

std::vector<double> evaluate(Environment& environment, const std::vector<Participant>& participants,
                             uint64_t time_limit, uint64_t episodes, uint64_t first_seed,
                             const std::function<bool()>& cancelled) {
  return play(environment, participants, time_limit, episodes, first_seed, cancelled).mean;
}

}  // namespace spar::rollout
