#include "core/rollout/turns.hpp"

#include <algorithm>
#include <cstring>

namespace spar::rollout {

Turns::Turns(const AgentPort& port, const Batch& actions, uint64_t copies)
    : port_(port),
      actions_(actions),
      decided_{actions.row_bytes(0), std::vector<std::byte>(copies * actions.row_bytes(0))},
      earned_(copies, 0.0),
      open_(copies, 0),
      begun_(copies, 0),
      action_(decided_),
      lane_(copies, 0),
      reward_(copies, 0),
      terminated_(copies, 0),
      truncated_(copies, 0),
      ended_(copies, 0) {
  moving_.reserve(copies);
  for (const size_t column : port.observed) {
    const size_t row_bytes = port.out->row_bytes(column);
    decided_on_.push_back({row_bytes, std::vector<std::byte>(copies * row_bytes)});
  }
  obs_ = next_obs_ = decided_on_;
  for (const Column& column : obs_) view_.obs.push_back(column.data.data());
  for (const Column& column : next_obs_) view_.next_obs.push_back(column.data.data());
  view_.lane = lane_.data();
  view_.action = action_.data.data();
  view_.reward = reward_.data();
  view_.terminated = terminated_.data();
  view_.truncated = truncated_.data();
  view_.ended = ended_.data();
}

void Turns::start() {
  std::fill(open_.begin(), open_.end(), 0);
  std::fill(begun_.begin(), begun_.end(), 0);
}

void Turns::look() {
  moving_.clear();
  for (uint64_t copy = 0; copy < open_.size(); ++copy)
    if (port_.acts(copy)) moving_.push_back(copy);
}

void Turns::write_first(uint8_t* rows) const {
  for (size_t i = 0; i < moving_.size(); ++i) rows[i] = begun_[moving_[i]] == 0;
}

void Turns::decide(const std::vector<std::vector<std::byte>>& obs) {
  for (size_t i = 0; i < moving_.size(); ++i) {
    const uint64_t copy = moving_[i];
    for (size_t k = 0; k < obs.size(); ++k) {
      const size_t bytes = decided_on_[k].row_bytes;
      std::memcpy(decided_on_[k].row(copy), obs[k].data() + copy * bytes, bytes);
    }
    std::memcpy(decided_.row(copy), actions_.bytes(0) + i * decided_.row_bytes, decided_.row_bytes);
    earned_[copy] = 0;
    open_[copy] = begun_[copy] = 1;
  }
}

const StepView& Turns::settle(const uint8_t* terminated, const uint8_t* truncated, const uint8_t* ended,
                              uint64_t counted) {
  rows_ = 0;
  const auto* reward = port_.out->data<float>(port_.reward);
  for (uint64_t copy = 0; copy < open_.size(); ++copy) {
    earned_[copy] += static_cast<double>(reward[copy]);
    if (ended[copy]) begun_[copy] = 0;
    if (!open_[copy] || !(ended[copy] || port_.acts(copy))) continue;
    open_[copy] = 0;
    if (copy >= counted) continue;
    const bool cut_off = truncated[copy] && !port_.acts(copy);
    settle_one(copy, terminated[copy] || cut_off, truncated[copy] && !cut_off, ended[copy] != 0);
  }
  return view_;
}

void Turns::settle_one(uint64_t copy, bool terminated, bool truncated, bool ended) {
  const uint64_t row = rows_++;
  for (size_t k = 0; k < obs_.size(); ++k) {
    const size_t bytes = obs_[k].row_bytes;
    std::memcpy(obs_[k].row(row), decided_on_[k].row(copy), bytes);
    std::memcpy(next_obs_[k].row(row), port_.out->bytes(port_.observed[k]) + copy * bytes, bytes);
  }
  std::memcpy(action_.row(row), decided_.row(copy), action_.row_bytes);
  lane_[row] = copy;
  reward_[row] = static_cast<float>(earned_[copy]);
  terminated_[row] = terminated;
  truncated_[row] = truncated;
  ended_[row] = ended;
}

void Turns::save(ByteWriter& writer) const {
  std::vector<uint8_t> to_move(open_.size(), 0);
  for (const uint64_t copy : moving_) to_move[copy] = 1;
  writer.array<uint8_t>(to_move);
  for (const Column& column : decided_on_) writer.array<std::byte>(column.data);
  writer.array<std::byte>(decided_.data);
  writer.array<double>(earned_);
  writer.array<uint8_t>(open_);
  writer.array<uint8_t>(begun_);
}

void Turns::load(ByteReader& reader) {
  std::vector<uint8_t> to_move(open_.size());
  reader.array<uint8_t>(to_move);
  moving_.clear();
  for (uint64_t copy = 0; copy < to_move.size(); ++copy)
    if (to_move[copy]) moving_.push_back(copy);
  for (Column& column : decided_on_) reader.array<std::byte>(column.data);
  reader.array<std::byte>(decided_.data);
  reader.array<double>(earned_);
  reader.array<uint8_t>(open_);
  reader.array<uint8_t>(begun_);
}

}  // namespace spar::rollout
