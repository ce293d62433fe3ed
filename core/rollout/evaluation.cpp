#include "core/rollout/evaluation.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "core/rollout/actions.hpp"

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

/// One agent, or joined ones. The batches hold the rows of the lanes where there is a move to make, and whose copies
/// are live, only.
struct Seat {
  Seat(AgentPort& agent, const Participant& participant, uint64_t copies)
      : port(participant.joined ? participant.joined->port() : agent),
        learner(participant.learner),
        opponent(participant.opponent),
        joined(participant.joined),
        rows_per_copy(joined ? joined->rows_per_copy() : 1),
        seen(copies * rows_per_copy),
        actions(copies * rows_per_copy),
        first(copies * rows_per_copy, 0) {
    add_seen_columns(seen, port);
    add_action_column(actions, port.action);
  }

  void begin(uint64_t copy) {
    std::fill_n(first.begin() + copy * rows_per_copy, rows_per_copy, uint8_t{1});
    if (opponent) opponent->begin(copy);
  }
  void look(const std::vector<Play>& plays);
  void act();

  AgentPort& port;
  Learner* learner;    ///< null: an opponent plays
  Opponent* opponent;  ///< null: a learner
  Joined* joined;
  uint64_t rows_per_copy;
  Batch seen, actions;
  std::vector<uint64_t> lanes;
  std::vector<uint8_t> first;  ///< by lane: is its next move the first of the episode?
};

/// Where there is a move to make.
void Seat::look(const std::vector<Play>& plays) {
  lanes.clear();
  for (uint64_t lane = 0; lane < first.size(); ++lane) {
    if (!plays[lane / rows_per_copy].live)
      step_along(port, lane);
    else if (port.acts(lane))
      lanes.push_back(lane);
  }
}

void Seat::act() {
  if (!lanes.empty() && opponent) {
    opponent->act(lanes, actions);
    send_actions(actions, lanes.size(), lanes.data(), port, opponent->label(), port.masks());
  } else if (!lanes.empty()) {
    for (size_t k = 0; k < port.observed.size(); ++k) {
      const size_t from = port.observed[k], to = seen_column(port, k);
      take_rows(port.out->bytes(from), port.out->row_bytes(from), lanes, seen.bytes(to));
    }
    auto* starts = seen.data<uint8_t>(port.leaves.size());
    for (size_t i = 0; i < lanes.size(); ++i) starts[i] = std::exchange(first[lanes[i]], 0);
    learner->act(SPAR_MODE_GREEDY, 0, seen, actions, lanes.size(), lanes.data());
    send_actions(actions, lanes.size(), lanes.data(), port, learner->label(), port.masks());
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
  environment.reset(nullptr, seeds.data());

  for (;;) {
    if (std::none_of(plays.begin(), plays.end(), [](const Play& play) { return play.live; })) return results;
    if (cancelled && cancelled()) return {};

    for (Seat& seat : seats) {
      if (seat.joined) seat.joined->gather();
      seat.look(plays);
      seat.act();
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
    if (std::find(fresh.begin(), fresh.end(), 1) != fresh.end()) environment.reset(fresh.data(), seeds.data());
  }
}

std::vector<double> evaluate(Environment& environment, const std::vector<Participant>& participants,
                             uint64_t time_limit, uint64_t episodes, uint64_t first_seed,
                             const std::function<bool()>& cancelled) {
  return play(environment, participants, time_limit, episodes, first_seed, cancelled).mean;
}

}  // namespace spar::rollout
