#include "core/replay/rollout.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/error.hpp"

namespace spar::replay {

Rollout::Rollout(const BufferSpec& spec, const Layout& layout)
    : spec_(&spec), layout_(&layout), records_(spec.capacity * layout.stride), begin_(spec.lanes + 1) {
  lanes_.reserve(spec.capacity);
}

void Rollout::reserve(uint64_t rows) {
  const uint64_t room = records_.size() / layout_->stride;
  if (rows <= room) return;
  AlignedBytes larger(std::max(rows, room + room / 2) * layout_->stride);
  std::memcpy(larger.data(), records_.data(), lanes_.size() * layout_->stride);
  records_ = std::move(larger);
}

void Rollout::append(const StepRows& rows) {
  reserve(lanes_.size() + rows.rows);
  for (uint64_t row = 0; row < rows.rows; ++row) {
    std::byte* to = record(lanes_.size());
    layout_->write_known(to, rows, row);
    layout_->write_next(to, rows, row);
    std::byte* tail = to + layout_->fields[layout_->numbers].offset;
    const bool terminated = rows.terminated[row] != 0;
    const bool truncated = rows.truncated[row] != 0 && !terminated;
    std::memcpy(tail, &rows.reward[row], sizeof(float));
    tail[4] = std::byte{terminated};
    tail[5] = std::byte{truncated};
    tail[6] = std::byte{terminated || truncated};
    lanes_.push_back(rows.lane_of(row));
    ++inserted_;
  }
}

spar_batch Rollout::sample(uint64_t n, double, Philox&, PooledBatch& batch) {
  if (n != 0 && n != size())
    throw Error(
        "E0803", Exit::failed,
        "a rollout gives all of its " + std::to_string(size()) + " rows, but " + std::to_string(n) + " were asked for")
        .help("ask for 0 rows, which means all, and cut minibatches from them");
  batch.resize(size());
  // Counting sort by lane; rows of one lane stay in the order of time.
  std::fill(begin_.begin(), begin_.end(), 0);
  for (const uint64_t lane : lanes_) ++begin_[lane + 1];
  for (size_t lane = 1; lane < begin_.size(); ++lane) begin_[lane] += begin_[lane - 1];
  const std::span<uint64_t> order = batch.index();
  for (uint64_t row = 0; row < size(); ++row) order[begin_[lanes_[row]]++] = row;
  gather(*layout_, records_.data(), order, batch.columns());
  // begin_ now holds the end of each lane.
  std::byte* last = batch.columns().back();
  for (uint64_t lane = 0, begin = 0; lane < spec_->lanes; begin = begin_[lane++])
    if (begin_[lane] > begin) last[begin_[lane] - 1] = std::byte{1};
  return batch.view(false, false);
}

void Rollout::copy(std::span<const uint64_t> index, std::span<std::byte* const> columns) {
  for (const uint64_t row : index)
    if (row >= size())
      throw Error("E0808", Exit::crash,
                  "the rollout has no row " + std::to_string(row) + ": it holds " + std::to_string(size()));
  gather(*layout_, records_.data(), index, columns);
}

void Rollout::set_priority(std::span<const uint64_t>, std::span<const float>) {
  throw Error("E0804", Exit::failed, "priorities cannot be set: a rollout has none")
      .help("ask for the prioritised buffer in needs()");
}

void Rollout::cut() {
  std::fill(begin_.begin(), begin_.end(), 0);  // here: 1 = the newest row of the lane was met
  for (uint64_t row = size(); row-- > 0;) {
    if (begin_[lanes_[row]]++ > 0) continue;
    std::byte* tail = record(row) + layout_->fields[layout_->numbers].offset;
    tail[5] = std::byte{tail[4] == std::byte{0}};
    tail[6] = std::byte{1};
  }
}

void Rollout::save(ByteWriter& out) const {
  out.put(inserted_);
  out.array(std::span<const uint64_t>(lanes_));
  for (uint64_t row = 0; row < size(); ++row) out.raw(records_.data() + row * layout_->stride, layout_->payload);
}

void Rollout::load(ByteReader& in) {
  inserted_ = in.get<uint64_t>();
  const auto lanes = in.vector<uint64_t>();
  for (const uint64_t lane : lanes)
    if (lane >= spec_->lanes)
      throw Error("E0805", Exit::failed,
                  "the saved rollout has a row of lane " + std::to_string(lane) + ", but there are " +
                      std::to_string(spec_->lanes) + " lanes");
  reserve(lanes.size());
  lanes_.assign(lanes.begin(), lanes.end());
  for (uint64_t row = 0; row < size(); ++row) in.raw(record(row), layout_->payload);
}

}  // namespace spar::replay
