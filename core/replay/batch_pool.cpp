#include "core/replay/batch_pool.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "core/base/error.hpp"

namespace spar::replay {

PooledBatch::PooledBatch(const Layout& layout) : data_(layout.fields.size()), columns_(layout.fields.size()) {
  for (const Field& field : layout.fields) {
    shapes_.push_back(field.column);
    std::vector<int64_t> dimensions = {0};
    dimensions.insert(dimensions.end(), field.column.shape.begin(), field.column.shape.end());
    dimensions_.push_back(std::move(dimensions));
  }
}

void PooledBatch::resize(uint64_t rows) {
  rows_ = rows;
  if (rows <= capacity_) return;
  std::vector<size_t> offsets;
  size_t total = 0;
  for (const ColumnShape& shape : shapes_) {
    offsets.push_back(total);
    size_t bytes = 0;
    if (__builtin_mul_overflow(shape.bytes(), rows, &bytes) || bytes > SIZE_MAX / 2 - total) throw std::bad_alloc();
    total += round_up(bytes, kCacheLine);
  }
  memory_ = AlignedBytes(total);
  for (size_t i = 0; i < data_.size(); ++i) data_[i] = memory_.data() + offsets[i];
  index_.resize(rows);
  weight_.resize(rows);
  capacity_ = rows;
}

size_t PooledBatch::bytes_of(const Layout& layout, uint64_t rows) {
  size_t row = sizeof(uint64_t) + sizeof(float);  // index and weight
  for (const Field& field : layout.fields) row += field.bytes;
  return rows * row;
}

spar_batch PooledBatch::view(bool with_index, bool with_weight) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    dimensions_[i][0] = static_cast<int64_t>(rows_);
    spar_tensor tensor{};
    tensor.data = data_[i];
    tensor.device_type = SPAR_DEVICE_CPU;
    tensor.ndim = static_cast<int32_t>(dimensions_[i].size());
    tensor.code = shapes_[i].code;
    tensor.bits = shapes_[i].bits;
    tensor.lanes = 1;
    tensor.shape = dimensions_[i].data();
    columns_[i] = {{shapes_[i].name.data(), shapes_[i].name.size()}, tensor};
  }
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  batch.n_columns = static_cast<uint32_t>(columns_.size());
  batch.rows = rows_;
  batch.columns = columns_.data();
  batch.index = with_index ? index_.data() : nullptr;
  batch.weight = with_weight ? weight_.data() : nullptr;
  batch.token = this;
  return batch;
}

PooledBatch& BatchPool::lend() {
  for (const auto& batch : batches_) {
    if (batch->lent_) continue;
    batch->lent_ = true;
    return *batch;
  }
  if (batches_.size() == kMostLent)
    throw Error("E0803", Exit::failed, std::to_string(kMostLent) + " sampled batches are not yet released")
        .help("release every sampled batch after use");
  batches_.push_back(std::make_unique<PooledBatch>(*layout_));
  batches_.back()->lent_ = true;
  return *batches_.back();
}

void BatchPool::take_back(const void* token) {
  for (const auto& batch : batches_) {
    if (batch.get() != token || !batch->lent_) continue;
    batch->lent_ = false;
    return;
  }
  throw Error("E0803", Exit::failed, "a batch was released that this memory has not lent")
      .help("release each sampled batch once, to the memory that gave it");
}

size_t BatchPool::lent() const {
  return static_cast<size_t>(std::count_if(batches_.begin(), batches_.end(), [](const auto& b) { return b->lent_; }));
}

size_t BatchPool::bytes() const {
  size_t total = 0;
  for (const auto& batch : batches_) total += batch->memory_.size() + batch->capacity_ * (8 + 4);
  return total;
}

}  // namespace spar::replay
