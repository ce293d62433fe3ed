#include "core/rollout/batch.hpp"

#include <cstring>
#include <new>

namespace spar::rollout {

void Batch::Release::operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }

size_t Batch::add(std::string name, uint8_t code, uint8_t bits, const std::vector<int64_t>& row_shape) {
  Column column;
  column.name = std::move(name);
  column.shape = {static_cast<int64_t>(capacity_)};
  size_t numbers = 1;
  for (const int64_t extent : row_shape) {
    column.shape.push_back(extent);
    numbers *= static_cast<size_t>(extent);
  }
  column.row_bytes = numbers * bits / 8;
  const size_t bytes = std::max<size_t>(1, column.row_bytes * capacity_);
  column.memory.reset(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{64})));
  std::memset(column.memory.get(), 0, bytes);
  columns_.push_back(std::move(column));
  Column& kept = columns_.back();

  spar_column abi{};
  abi.name = {kept.name.data(), kept.name.size()};
  abi.t.data = kept.memory.get();
  abi.t.device_type = SPAR_DEVICE_CPU;
  abi.t.ndim = static_cast<int32_t>(kept.shape.size());
  abi.t.code = code;
  abi.t.bits = bits;
  abi.t.lanes = 1;
  abi.t.shape = kept.shape.data();
  abi_.push_back(abi);
  return columns_.size() - 1;
}

spar_batch* Batch::view(uint64_t rows, const uint64_t* index) {
  for (Column& column : columns_) column.shape[0] = static_cast<int64_t>(rows);
  batch_ = {};
  batch_.struct_size = sizeof batch_;
  batch_.n_columns = static_cast<uint32_t>(abi_.size());
  batch_.rows = rows;
  batch_.columns = abi_.data();
  batch_.index = index;
  return &batch_;
}

spar_batch* Batch::rows(uint64_t first, uint64_t n, const uint64_t* index, Rows& into) const {
  if (into.columns.size() != columns_.size()) {
    into.columns = abi_;
    into.shapes.clear();
    for (const Column& column : columns_) into.shapes.push_back(column.shape);
    for (size_t i = 0; i < columns_.size(); ++i) into.columns[i].t.shape = into.shapes[i].data();
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    into.columns[i].name = abi_[i].name;
    into.columns[i].t.data = columns_[i].memory.get() + first * columns_[i].row_bytes;
    into.shapes[i][0] = static_cast<int64_t>(n);
  }
  into.batch = {};
  into.batch.struct_size = sizeof into.batch;
  into.batch.n_columns = static_cast<uint32_t>(into.columns.size());
  into.batch.rows = n;
  into.batch.columns = into.columns.data();
  into.batch.index = index;
  return &into.batch;
}

bool Batch::has(std::string_view name) const {
  for (const Column& column : columns_) {
    if (column.name == name) return true;
  }
  return false;
}

void take_rows(const std::byte* from, size_t row_bytes, const std::vector<uint64_t>& lanes, std::byte* to) {
  if (lanes.back() + 1 == lanes.size()) {  // all from the first on
    std::memcpy(to, from, lanes.size() * row_bytes);
    return;
  }
  for (size_t i = 0; i < lanes.size(); ++i) std::memcpy(to + i * row_bytes, from + lanes[i] * row_bytes, row_bytes);
}

}  // namespace spar::rollout
