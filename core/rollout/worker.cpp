#include "core/rollout/worker.hpp"

#include <algorithm>
#include <cstring>

#include "core/rollout/actions.hpp"

namespace spar::rollout {

Worker::Worker(Environment& environment, std::vector<Participant> participants, uint64_t time_limit, uint64_t root_seed,
               bool beside)
    : environment_(environment), time_limit_(time_limit), warm_up_(root_seed, "rollout/warm_up") {
  const uint64_t copies = environment.copies();
  for (uint64_t lane = 0; lane < copies; ++lane) lanes_.push_back(lane);
  lengths_.assign(copies, 0);
  first_.assign(copies, 1);
  terminated_.assign(copies, 0);
  truncated_.assign(copies, 0);
  ended_.assign(copies, 0);
  for (size_t i = 0; i < participants.size(); ++i) {
    AgentPort& port = environment.agents()[i];
    Seat seat{participants[i].learner,
              participants[i].opponent,
              &port,
              std::make_unique<Batch>(copies),
              {},
              std::make_unique<Batch>(copies),
              {},
              {},
              {},
              {}};
    add_seen_columns(*seat.seen, port);
    for (const size_t column : port.observed) seat.obs.emplace_back(copies * port.out->row_bytes(column));
    add_action_column(*seat.actions, port.action);
    seat.returns.assign(copies, 0.0);
    for (const auto& column : seat.obs) seat.step.obs.push_back(column.data());
    for (const size_t column : port.observed) seat.step.next_obs.push_back(port.out->bytes(column));
    seat.step.lane = lanes_.data();
    seat.step.action = seat.actions->bytes(0);
    seat.step.reward = port.out->data<float>(port.reward);
    seat.step.terminated = terminated_.data();
    seat.step.truncated = truncated_.data();
    seat.step.ended = ended_.data();
    if (port.turn_based()) seat.turns = std::make_unique<Turns>(port, *seat.actions, copies);
    if (beside && seat.learner) seat.log = std::make_unique<StepLog>(port, seat.actions->row_bytes(0));
    seats_.push_back(std::move(seat));
  }
  finished_.reserve(copies * seats_.size());
}

void Worker::start(uint64_t first_seed) {
  std::vector<uint64_t> seeds = lanes_;
  for (uint64_t& seed : seeds) seed += first_seed;
  environment_.reset(nullptr, seeds.data());
  for (Seat& seat : seats_) {
    if (seat.turns) seat.turns->start();
    observe(seat);
  }
  std::fill(first_.begin(), first_.end(), 1);
  begin_episodes();
}

uint64_t Worker::step(uint64_t env_steps, uint64_t most) {
  const uint64_t counted = std::min(most, environment_.copies());
  Profile* const profile = profile_ && profile_->next_step() ? profile_ : nullptr;
  const auto timed = [profile](Phase phase, const auto& what) {
    const Profile::Span span(profile, phase, Profile::kStride);
    what();
  };

  timed(Phase::act, [&] {
    for (Seat& seat : seats_) choose(seat, env_steps);
  });
  timed(Phase::step, [&] {
    for (Seat& seat : seats_) send(seat);
    environment_.step();
    judge_ends();
  });
  // The environment's columns still hold the true final observations: they are stored before anything is reset.
  timed(Phase::append, [&] {
    for (Seat& seat : seats_) store(seat, counted);
    finish_episodes(counted);
  });
  timed(Phase::step, [&] {
    if (std::find(ended_.begin(), ended_.end(), 1) != ended_.end()) environment_.reset(ended_.data(), nullptr);
  });
  first_ = ended_;
  for (Seat& seat : seats_) observe(seat);
  begin_episodes();
  return counted;
}

void Worker::begin_episodes() {
  for (Seat& seat : seats_) {
    if (!seat.opponent) continue;
    for (uint64_t copy = 0; copy < first_.size(); ++copy)
      if (first_[copy]) seat.opponent->begin(copy);
  }
}

/// Actions of one agent in every copy where it moves.
void Worker::choose(Seat& seat, uint64_t env_steps) {
  const std::vector<uint64_t>& lanes = lanes_of(seat);
  if (lanes.empty()) return;
  if (seat.opponent) return seat.opponent->act(lanes, *seat.actions);
  ask_learner(seat, env_steps, lanes);
  if (seat.turns) seat.turns->decide(seat.obs);
}

/// Uniform actions while warming up, the algorithm's afterwards.
void Worker::ask_learner(Seat& seat, uint64_t env_steps, const std::vector<uint64_t>& lanes) {
  const uint64_t rows = lanes.size();
  const size_t leaves = seat.port->leaves.size();
  for (size_t leaf = 0; leaf < leaves; ++leaf)
    take_rows(seat.obs[leaf].data(), seat.seen->row_bytes(leaf), lanes, seat.seen->bytes(leaf));
  const uint8_t* masks = nullptr;
  if (seat.masks()) {
    take_rows(seat.obs.back().data(), seat.seen->row_bytes(leaves + 1), lanes, seat.seen->bytes(leaves + 1));
    masks = seat.seen->data<uint8_t>(leaves + 1);
  }
  if (seat.log && seat.learner->watches()) seat.log->watch(*seat.seen, rows);
  if (env_steps < seat.learner->needs().warmup) {
    // Or the first updates would be normalised by no statistics at all.
    if (!seat.log) seat.learner->watch(*seat.seen, rows);
    uniform_actions(seat.port->action, *seat.actions, rows, warm_up_, masks);
  } else {
    auto* first = seat.seen->data<uint8_t>(leaves);
    if (seat.turns)
      seat.turns->write_first(first);
    else
      std::memcpy(first, first_.data(), rows);
    if (seat.log)
      seat.learner->act_beside(env_steps, *seat.seen, *seat.actions, rows, lanes.data());
    else
      seat.learner->act(SPAR_MODE_EXPLORE, env_steps, *seat.seen, *seat.actions, rows, lanes.data());
  }
}

void Worker::send(Seat& seat) {
  const std::vector<uint64_t>& lanes = lanes_of(seat);
  send_actions(*seat.actions, lanes.size(), lanes.data(), *seat.port,
               seat.opponent ? seat.opponent->label() : seat.learner->label(), seat.masks());
}

/// An episode ends by the dynamics (terminated) or by the time limit (truncated); both may be true at once.
void Worker::judge_ends() {
  const AgentPort& port = environment_.agents().front();
  const uint8_t* terminated = port.out->data<uint8_t>(port.terminated);
  const uint8_t* truncated =
      port.truncated >= 0 ? port.out->data<uint8_t>(static_cast<size_t>(port.truncated)) : nullptr;
  for (size_t i = 0; i < lengths_.size(); ++i) {
    ++lengths_[i];
    terminated_[i] = terminated[i] != 0;
    truncated_[i] = (truncated && truncated[i]) || (time_limit_ > 0 && lengths_[i] >= time_limit_);
    ended_[i] = terminated_[i] | truncated_[i];
  }
}

/// One transition of each counted copy goes to the learner's memory; where agents take turns, those that are over.
void Worker::store(Seat& seat, uint64_t counted) {
  for (size_t i = 0; i < seat.returns.size(); ++i) seat.returns[i] += seat.step.reward[i];
  if (seat.opponent) return;
  const auto remember = [&seat](const StepView& step, uint64_t rows) {
    if (seat.log)
      seat.log->remember(step, rows);
    else
      seat.learner->remember(step, rows);
  };
  if (!seat.turns) return remember(seat.step, counted);
  const StepView& over = seat.turns->settle(terminated_.data(), truncated_.data(), ended_.data(), counted);
  if (seat.turns->settled() > 0) remember(over, seat.turns->settled());
}

void Worker::begin_round() {
  finished_.clear();
  in_round_ = true;
}

void Worker::settle() {
  in_round_ = false;
  for (Seat& seat : seats_)
    if (seat.log) seat.log->settle(*seat.learner);
}

void Worker::finish_episodes(uint64_t counted) {
  if (!in_round_) finished_.clear();
  for (uint64_t lane = 0; lane < ended_.size(); ++lane) {
    if (!ended_[lane]) continue;
    for (size_t agent = 0; agent < seats_.size(); ++agent) {
      if (lane < counted) finished_.push_back({agent, lane, seats_[agent].returns[lane], lengths_[lane]});
      seats_[agent].returns[lane] = 0;
    }
    lengths_[lane] = 0;
  }
}

/// Takes the environment's observations as the current ones.
void Worker::observe(Seat& seat) {
  for (size_t i = 0; i < seat.obs.size(); ++i) {
    std::memcpy(seat.obs[i].data(), seat.port->out->bytes(seat.port->observed[i]), seat.obs[i].size());
  }
  if (seat.turns) seat.turns->look();
}

void Worker::save(ByteWriter& writer) const {
  environment_.save(writer);
  writer.put(warm_up_.state());
  writer.array<uint64_t>(lengths_);
  writer.array<uint8_t>(first_);
  for (const Seat& seat : seats_) {
    for (const auto& leaf : seat.obs) writer.array<std::byte>(leaf);
    writer.array<double>(seat.returns);
    if (seat.turns) seat.turns->save(writer);
  }
}

void Worker::load(ByteReader& reader) {
  environment_.load(reader);
  warm_up_.restore(reader.get<Philox::State>());
  reader.array<uint64_t>(lengths_);
  reader.array<uint8_t>(first_);
  for (Seat& seat : seats_) {
    for (auto& leaf : seat.obs) reader.array<std::byte>(leaf);
    reader.array<double>(seat.returns);
    if (seat.turns) seat.turns->load(reader);
  }
}

}  // namespace spar::rollout
