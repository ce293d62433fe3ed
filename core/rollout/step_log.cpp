#include "core/rollout/step_log.hpp"

#include <algorithm>
#include <cstring>

namespace spar::rollout {
namespace {

size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

StepLog::StepLog(const AgentPort& port, size_t action_bytes)
    : leaves_(port.leaves.size()), action_bytes_(action_bytes), leaf_data_(port.leaves.size()) {
  for (const size_t column : port.observed) widths_.push_back(port.out->row_bytes(column));
  view_.obs.resize(widths_.size());
  view_.next_obs.resize(widths_.size());
}

std::byte* StepLog::room(size_t bytes) {
  const size_t at = used_;
  used_ += padded(bytes);
  if (used_ > memory_.size()) memory_.resize(std::max(used_, 2 * memory_.size()));
  return memory_.data() + at;
}

void StepLog::copy(const void* from, size_t bytes) { std::memcpy(room(bytes), from, bytes); }

const std::byte* StepLog::next(size_t& at, size_t bytes) const {
  const std::byte* column = memory_.data() + at;
  at += padded(bytes);
  return column;
}

void StepLog::watch(const Batch& seen, uint64_t rows) {
  entries_.push_back({rows, used_, true});
  for (size_t leaf = 0; leaf < leaves_; ++leaf) copy(seen.bytes(leaf), rows * seen.row_bytes(leaf));
}

void StepLog::remember(const StepView& step, uint64_t rows) {
  entries_.push_back({rows, used_, false});
  for (size_t k = 0; k < widths_.size(); ++k) copy(step.obs[k], rows * widths_[k]);
  for (size_t k = 0; k < widths_.size(); ++k) copy(step.next_obs[k], rows * widths_[k]);
  copy(step.lane, rows * sizeof(uint64_t));
  copy(step.action, rows * action_bytes_);
  copy(step.reward, rows * sizeof(float));
  for (const uint8_t* flags : {step.terminated, step.truncated, step.ended}) copy(flags, rows);
}

void StepLog::settle(Learner& learner) {
  for (const Entry& entry : entries_) {
    size_t at = entry.at;
    if (entry.watched) {
      for (size_t leaf = 0; leaf < leaves_; ++leaf) leaf_data_[leaf] = next(at, entry.rows * widths_[leaf]);
      learner.watch(leaf_data_, entry.rows);
      continue;
    }
    for (size_t k = 0; k < widths_.size(); ++k) view_.obs[k] = next(at, entry.rows * widths_[k]);
    for (size_t k = 0; k < widths_.size(); ++k) view_.next_obs[k] = next(at, entry.rows * widths_[k]);
    view_.lane = reinterpret_cast<const uint64_t*>(next(at, entry.rows * sizeof(uint64_t)));
    view_.action = next(at, entry.rows * action_bytes_);
    view_.reward = reinterpret_cast<const float*>(next(at, entry.rows * sizeof(float)));
    for (const uint8_t** flags : {&view_.terminated, &view_.truncated, &view_.ended})
      *flags = reinterpret_cast<const uint8_t*>(next(at, entry.rows));
    learner.remember(view_, entry.rows);
  }
  entries_.clear();
  used_ = 0;
}

}  // namespace spar::rollout
