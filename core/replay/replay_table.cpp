#include "core/replay/replay_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/base/error.hpp"

namespace spar::replay {

ReplayTable::ReplayTable(const BufferSpec& spec, const Layout& layout)
    : spec_(&spec),
      layout_(&layout),
      ring_(spec.capacity * layout.stride),
      waiting_(spec.n_step > 1 ? spec.lanes * spec.n_step * layout.known : 0),
      windows_(spec.lanes, rl::NStepWindow(spec.n_step, spec.gamma)) {
  if (spec.kind == SPAR_BUF_PRIORITIZED) priorities_.emplace(spec.capacity, spec.alpha, spec.eps);
}

void ReplayTable::append(const StepRows& rows) {
  slots_.clear();
  for (uint64_t row = 0; row < rows.rows; ++row) append_row(rows, row);
  if (priorities_) priorities_->insert(slots_);
}

void ReplayTable::append_row(const StepRows& rows, uint64_t row) {
  const uint64_t lane = rows.lane_of(row);
  rl::NStepWindow& window = windows_[lane];
  const bool waits = spec_->n_step > 1;
  if (waits) layout_->write_known(waiting(lane, window.next()), rows, row);
  window.push(rows.reward[row], rows.terminated[row] != 0, rows.truncated[row] != 0,
              [&](const rl::NStepReturn& closed) {
                const uint64_t slot = inserted_ % spec_->capacity;
                std::byte* to = record(slot);
                if (waits)
                  std::memcpy(to, waiting(lane, closed.start), layout_->known);
                else
                  layout_->write_known(to, rows, row);
                layout_->write_next(to, rows, row);
                const float numbers[2] = {static_cast<float>(closed.reward), static_cast<float>(closed.discount)};
                std::byte* tail = to + layout_->fields[layout_->numbers].offset;
                std::memcpy(tail, numbers, sizeof numbers);
                tail[sizeof numbers] = std::byte{closed.terminated};
                ++inserted_;
                if (priorities_) slots_.push_back(slot);
              });
}

void ReplayTable::draw_uniform(Philox& random, std::span<uint64_t> slots) const {
  const uint64_t n = size();
  if (n > UINT32_MAX) {
    for (uint64_t& slot : slots) slot = random.below(n);
    return;
  }
  // Lemire 2019 with 32 bits: one draw of 64 bits gives two slots. The words are drawn together; one more is drawn
  // where rejections have used them up.
  const uint32_t reject = static_cast<uint32_t>((uint64_t{1} << 32) % n);
  constexpr size_t kWords = 128;
  uint64_t words[kWords], bits = 0;
  size_t used = 0, there = 0;
  bool half_left = false;
  for (size_t i = 0; i < slots.size(); ++i) {
    uint64_t product = 0;
    do {
      if (half_left) {
        bits >>= 32;
      } else {
        if (used == there) {
          there = std::min(kWords, (slots.size() - i + 1) / 2);
          random.bits(there, words);
          used = 0;
        }
        bits = words[used++];
      }
      half_left = !half_left;
      product = (bits & UINT32_MAX) * n;
    } while (static_cast<uint32_t>(product) < reject);
    slots[i] = product >> 32;
  }
}

spar_batch ReplayTable::sample(uint64_t n, double beta, Philox& random, PooledBatch& batch) {
  batch.resize(n);
  const std::span<uint64_t> slots = batch.index();
  if (priorities_)
    priorities_->draw(random, beta, slots, batch.weight());
  else
    draw_uniform(random, slots);
  gather(*layout_, ring_.data(), slots, batch.columns());
  // From slot to index: the newest transition in that slot.
  const uint64_t cursor = inserted_ % spec_->capacity, lap = inserted_ - cursor;
  for (uint64_t& slot : slots) slot += slot < cursor ? lap : lap - spec_->capacity;
  return batch.view(true, priorities_.has_value());
}

void ReplayTable::copy(std::span<const uint64_t> index, std::span<std::byte* const> columns) {
  const uint64_t oldest = inserted_ - size();
  slots_.resize(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < oldest || index[i] >= inserted_)
      throw Error("E0808", Exit::crash,
                  "the memory has no transition with the index " + std::to_string(index[i]) + ": it holds those from " +
                      std::to_string(oldest) + " to below " + std::to_string(inserted_));
    slots_[i] = index[i] % spec_->capacity;
  }
  gather(*layout_, ring_.data(), slots_, columns);
}

bool ReplayTable::known_index(uint64_t index) const {
  if (index >= inserted_)
    throw Error("E0804", Exit::failed,
                "priorities cannot be set: index " + std::to_string(index) +
                    " was never sampled, the newest transition has the index " + std::to_string(inserted_) + " - 1")
        .help("pass the index column of a sampled batch");
  return inserted_ - index <= spec_->capacity;
}

bool ReplayTable::all_usable(std::span<const uint64_t> index, std::span<const float> p) const {
  const uint64_t oldest = inserted_ - size(), count = size();
  uint64_t unusable = 0;
  for (size_t i = 0; i < index.size(); ++i) unusable |= static_cast<uint64_t>(index[i] - oldest >= count);
  uint32_t refused = 0;
  for (const float each : p)
    refused |= static_cast<uint32_t>(!(each >= 0 && each <= std::numeric_limits<float>::max()));
  return (unusable | refused) == 0;
}

void ReplayTable::set_priority(std::span<const uint64_t> index, std::span<const float> p) {
  if (!priorities_)
    throw Error("E0804", Exit::failed, "priorities cannot be set: the memory draws uniformly")
        .help("ask for the prioritised buffer in needs()");
  const uint64_t capacity = spec_->capacity, newest_lap = inserted_ - inserted_ % capacity;
  if (all_usable(index, p)) {  // the rule: nothing was overwritten since
    slots_.resize(index.size());
    for (size_t i = 0; i < index.size(); ++i)
      slots_[i] = index[i] - newest_lap + (index[i] < newest_lap ? capacity : 0);
    priorities_->update(slots_, p);
    return;
  }
  slots_.clear();
  new_p_.clear();
  for (size_t i = 0; i < index.size(); ++i) {
    if (!std::isfinite(p[i]) || p[i] < 0)
      throw Error("E0804", Exit::failed,
                  "priorities cannot be set: p[" + std::to_string(i) + "] is " + std::to_string(p[i]) +
                      ", expected a finite error of at least 0")
          .help("pass the absolute error; a NaN here mostly means that the network has diverged");
    if (!known_index(index[i])) continue;
    slots_.push_back(index[i] % capacity);
    new_p_.push_back(p[i]);
  }
  priorities_->update(slots_, new_p_);
}

double ReplayTable::probability(uint64_t index) const {
  if (!known_index(index)) return 0;
  return priorities_ ? priorities_->mass(index % spec_->capacity) / priorities_->total()
                     : 1.0 / static_cast<double>(size());
}

void ReplayTable::cut() {
  for (rl::NStepWindow& window : windows_) window.clear();
}

void ReplayTable::save(ByteWriter& out) const {
  out.put(inserted_);
  for (uint64_t slot = 0; slot < size(); ++slot) out.raw(ring_.data() + slot * layout_->stride, layout_->payload);
  if (priorities_) priorities_->save(out, size());
  for (uint64_t lane = 0; lane < spec_->lanes; ++lane) {
    const rl::NStepWindow& window = windows_[lane];
    const std::vector<double> rewards = window.open_rewards();
    out.put(window.next());
    out.array(std::span<const double>(rewards));
    for (uint64_t step = window.next() - window.open(); step < window.next(); ++step)
      out.raw(waiting(lane, step), layout_->known);
  }
}

void ReplayTable::load(ByteReader& in) {
  inserted_ = in.get<uint64_t>();
  for (uint64_t slot = 0; slot < size(); ++slot) in.raw(record(slot), layout_->payload);
  if (priorities_) priorities_->load(in, size());
  for (uint64_t lane = 0; lane < spec_->lanes; ++lane) {
    rl::NStepWindow& window = windows_[lane];
    const auto next = in.get<uint64_t>();
    const auto rewards = in.vector<double>();
    try {
      window.restore(next, rewards);
    } catch (const std::invalid_argument& error) {
      throw Error("E0805", Exit::failed,
                  "the saved window of lane " + std::to_string(lane) + " is damaged: " + error.what());
    }
    for (uint64_t step = next - window.open(); step < next; ++step) in.raw(waiting(lane, step), layout_->known);
  }
}

size_t ReplayTable::bytes_with(uint64_t rows) const {
  return std::min(rows, spec_->capacity) * layout_->stride + bytes_beside();
}

size_t ReplayTable::saved_bytes(uint64_t rows) const {
  const size_t row = layout_->payload + (priorities_ ? sizeof(double) : 0);
  const size_t lane = 2 * sizeof(uint64_t) + spec_->n_step * (sizeof(double) + layout_->known);
  return 64 + std::min(rows, spec_->capacity) * row + spec_->lanes * lane;
}

size_t ReplayTable::bytes_beside() const {
  return waiting_.size() + (priorities_ ? priorities_->bytes() : 0) +
         windows_.size() * (sizeof(rl::NStepWindow) + (2 * spec_->n_step + 1) * sizeof(double));
}

}  // namespace spar::replay
