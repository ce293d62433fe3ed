#include "core/rollout/worker.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/rollout/actions.hpp"

namespace spar::rollout {
namespace {

/// Every flag of a copy for each of its rows.
void spread_rows(const std::vector<uint8_t>& copies, std::vector<uint8_t>& rows) {
  const size_t n = rows.size() / copies.size();
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = copies[i / n];
}

}  // namespace

Worker::Worker(Environment& environment, std::vector<Participant> participants, uint64_t time_limit, uint64_t root_seed,
               bool beside)
    : environment_(environment), time_limit_(time_limit), warm_up_(root_seed, "rollout/warm_up") {
  lengths_.assign(environment.copies(), 0);
  flags_.assign(environment.copies());
  for (size_t agent = 0; agent < participants.size(); ++agent)
    if (has_seat(participants, agent)) seats_.push_back(make_seat(participants[agent], agent, beside));
  finished_.reserve(environment.copies() * participants.size());
}

void Worker::Flags::assign(uint64_t lanes) {
  first.assign(lanes, 1);
  for (auto* flags : {&terminated, &truncated, &ended}) flags->assign(lanes, 0);
}

Worker::Seat Worker::make_seat(const Participant& participant, size_t agent, bool beside) {
  Seat seat;
  seat.learner = participant.learner;
  seat.opponent = participant.opponent;
  seat.joined = participant.joined;
  seat.port = seat.joined ? &seat.joined->port() : &environment_.agents()[agent];
  seat.rows_per_copy = seat.joined ? seat.joined->rows_per_copy() : 1;
  seat.agents = {agent};
  if (seat.rows_per_copy > 1) seat.agents.assign(seat.joined->members().begin(), seat.joined->members().end());
  const AgentPort& port = *seat.port;
  const uint64_t lanes = environment_.copies() * seat.rows_per_copy;
  for (uint64_t lane = 0; lane < lanes; ++lane) seat.lanes.push_back(lane);
  seat.seen = std::make_unique<Batch>(lanes);
  add_seen_columns(*seat.seen, port);
  for (const size_t column : port.observed) {
    seat.sources.push_back(port.out->bytes(column));
    seat.obs.emplace_back(lanes * port.out->row_bytes(column));
  }
  if (seat.learner && seat.learner->keeps_central_state()) {
    seat.sources.push_back(environment_.central_state());
    seat.obs.emplace_back(lanes * static_cast<uint64_t>(environment_.central_space()->width()) * sizeof(float));
  }
  seat.actions = std::make_unique<Batch>(lanes);
  add_action_column(*seat.actions, port.action);
  seat.returns.assign(lanes, 0.0);
  seat.flags = &flags_;
  if (seat.rows_per_copy > 1) {
    seat.spread = std::make_unique<Flags>();
    seat.spread->assign(lanes);
    seat.flags = seat.spread.get();
  }
  for (const auto& column : seat.obs) seat.step.obs.push_back(column.data());
  for (const std::byte* source : seat.sources) seat.step.next_obs.push_back(source);
  seat.step.lane = seat.lanes.data();
  seat.step.action = seat.actions->bytes(0);
  seat.step.reward = port.out->data<float>(port.reward);
  seat.step.terminated = seat.flags->terminated.data();
  seat.step.truncated = seat.flags->truncated.data();
  seat.step.ended = seat.flags->ended.data();
  if (port.turn_based()) seat.turns = std::make_unique<Turns>(port, *seat.actions, lanes);
  if (beside && seat.learner) seat.log = std::make_unique<StepLog>(port, seat.actions->row_bytes(0));
  return seat;
}

void Worker::start(uint64_t first_seed) {
  std::vector<uint64_t> seeds(environment_.copies());
  std::iota(seeds.begin(), seeds.end(), first_seed);
  for (Seat& seat : seats_)
    if (seat.joined) seat.joined->begin(nullptr);
  environment_.reset(nullptr, seeds.data());
  for (Seat& seat : seats_) {
    if (seat.joined) seat.joined->gather();
    if (seat.turns) seat.turns->start();
    observe(seat);
  }
  std::fill(flags_.first.begin(), flags_.first.end(), 1);
  spread_flags();
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
    for (Seat& seat : seats_)
      if (seat.joined) seat.joined->gather();
    judge_ends();
  });
  // The environment's columns still hold the true final observations: they are stored before anything is reset.
  timed(Phase::append, [&] {
    for (Seat& seat : seats_) store(seat, counted);
    finish_episodes(counted);
  });
  timed(Phase::step, [&] { reset_ended(); });
  for (Seat& seat : seats_) observe(seat);
  begin_episodes();
  return counted;
}

void Worker::begin_episodes() {
  for (Seat& seat : seats_) {
    if (!seat.opponent) continue;
    for (uint64_t copy = 0; copy < flags_.first.size(); ++copy)
      if (flags_.first[copy]) seat.opponent->begin(copy);
  }
}

/// Actions of one seat in every lane where it moves.
void Worker::choose(Seat& seat, uint64_t env_steps) {
  const std::vector<uint64_t>& lanes = seat.moving();
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
    take_rows(seat.obs[leaves].data(), seat.seen->row_bytes(leaves + 1), lanes, seat.seen->bytes(leaves + 1));
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
      std::memcpy(first, seat.flags->first.data(), rows);
    if (seat.log)
      seat.learner->act_beside(env_steps, *seat.seen, *seat.actions, rows, lanes.data());
    else
      seat.learner->act(SPAR_MODE_EXPLORE, env_steps, *seat.seen, *seat.actions, rows, lanes.data());
  }
}

void Worker::send(Seat& seat) {
  const std::vector<uint64_t>& lanes = seat.moving();
  send_actions(*seat.actions, lanes.size(), lanes.data(), *seat.port,
               seat.opponent ? seat.opponent->label() : seat.learner->label(), seat.masks());
  if (seat.joined) seat.joined->scatter();
}

/// An episode ends by the dynamics (terminated) or by the time limit (truncated); both may be true at once.
void Worker::judge_ends() {
  const AgentPort& port = environment_.agents().front();
  const uint8_t* terminated = port.out->data<uint8_t>(port.terminated);
  const uint8_t* truncated =
      port.truncated >= 0 ? port.out->data<uint8_t>(static_cast<size_t>(port.truncated)) : nullptr;
  for (size_t i = 0; i < lengths_.size(); ++i) {
    ++lengths_[i];
    flags_.terminated[i] = terminated[i] != 0;
    flags_.truncated[i] = (truncated && truncated[i]) || (time_limit_ > 0 && lengths_[i] >= time_limit_);
    flags_.ended[i] = flags_.terminated[i] | flags_.truncated[i];
  }
  spread_flags();
}

void Worker::spread_flags() {
  for (Seat& seat : seats_) {
    if (!seat.spread) continue;
    spread_rows(flags_.terminated, seat.spread->terminated);
    spread_rows(flags_.truncated, seat.spread->truncated);
    spread_rows(flags_.ended, seat.spread->ended);
    spread_rows(flags_.first, seat.spread->first);
  }
}

/// What ended begins anew.
void Worker::reset_ended() {
  flags_.first = flags_.ended;
  for (Seat& seat : seats_)
    if (seat.spread) seat.spread->first = seat.spread->ended;
  if (std::find(flags_.ended.begin(), flags_.ended.end(), 1) == flags_.ended.end()) return;
  for (Seat& seat : seats_)
    if (seat.joined) seat.joined->begin(flags_.ended.data());
  environment_.reset(flags_.ended.data(), nullptr);
  for (Seat& seat : seats_)
    if (seat.joined) seat.joined->gather();
}

/// The transitions of each counted copy go to the learner's memory; where agents take turns, those that are over.
void Worker::store(Seat& seat, uint64_t counted) {
  for (size_t i = 0; i < seat.returns.size(); ++i) seat.returns[i] += seat.step.reward[i];
  const uint64_t rows = counted * seat.rows_per_copy;
  if (seat.opponent) return;
  const auto remember = [&seat](const StepView& step, uint64_t n) {
    if (seat.log)
      seat.log->remember(step, n);
    else
      seat.learner->remember(step, n);
  };
  if (!seat.turns) return remember(seat.step, rows);
  const StepView& over = seat.turns->settle(seat.step.terminated, seat.step.truncated, seat.step.ended, rows);
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
  for (uint64_t copy = 0; copy < lengths_.size(); ++copy) {
    if (!flags_.ended[copy]) continue;
    for (Seat& seat : seats_) {
      double* returns = seat.returns.data() + copy * seat.rows_per_copy;
      for (size_t i = 0; i < seat.agents.size(); ++i) {
        if (copy < counted) finished_.push_back({seat.agents[i], copy, returns[i], lengths_[copy]});
        returns[i] = 0;
      }
    }
    lengths_[copy] = 0;
  }
}

/// Takes the environment's observations as the current ones.
void Worker::observe(Seat& seat) {
  for (size_t i = 0; i < seat.obs.size(); ++i) std::memcpy(seat.obs[i].data(), seat.sources[i], seat.obs[i].size());
  if (!seat.turns) return;
  if (seat.learner) seat.learner->check_moves();
  seat.turns->look();
}

void Worker::save(ByteWriter& writer) const {
  environment_.save(writer);
  writer.put(warm_up_.state());
  writer.array<uint64_t>(lengths_);
  writer.array<uint8_t>(flags_.first);
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
  reader.array<uint8_t>(flags_.first);
  spread_flags();
  for (Seat& seat : seats_) {
    for (auto& leaf : seat.obs) reader.array<std::byte>(leaf);
    reader.array<double>(seat.returns);
    if (seat.turns) seat.turns->load(reader);
  }
}

}  // namespace spar::rollout
