#include "core/replay/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/base/error.hpp"
#include "core/replay/aligned.hpp"

namespace spar::replay {

namespace {

constexpr size_t kBlock = 16;       // records copied together
constexpr size_t kAhead = 32;       // records requested before they are copied
constexpr size_t kMostMoves = 256;  // bytes of a field that is copied without a call

/// Asks for the first cache lines of a record; what follows comes by the processor's own prefetching. Inlined always: a
/// function that only prefetches has no effect that GCC knows of, and calls of it are dropped.
__attribute__((always_inline)) inline void request(const std::byte* record, size_t bytes) {
  constexpr size_t kMostLines = 16;
  const size_t most = std::min(bytes, kMostLines * kCacheLine);
  for (size_t at = 0; at < most; at += kCacheLine) __builtin_prefetch(record + at);
}

template <size_t kBytes>
void copy_fixed(std::byte* to, const std::byte* const* from, size_t rows, size_t offset) {
  for (size_t i = 0; i < rows; ++i) std::memcpy(to + i * kBytes, from[i] + offset, kBytes);
}

/// 16 bytes at a time; the last move ends where the field ends. 16 <= bytes.
void copy_moves(std::byte* to, const std::byte* const* from, size_t rows, size_t offset, size_t bytes) {
  constexpr size_t kMove = 16;
  for (size_t i = 0; i < rows; ++i, to += bytes) {
    const std::byte* const source = from[i] + offset;
    for (size_t at = 0; at + kMove < bytes; at += kMove) std::memcpy(to + at, source + at, kMove);
    std::memcpy(to + bytes - kMove, source + bytes - kMove, kMove);
  }
}

void copy_rows(std::byte* to, const std::byte* const* from, size_t rows, const Field& field) {
  switch (field.bytes) {  // a known length compiles to single moves
    case 1:
      return copy_fixed<1>(to, from, rows, field.offset);
    case 4:
      return copy_fixed<4>(to, from, rows, field.offset);
    case 8:
      return copy_fixed<8>(to, from, rows, field.offset);
    case 12:
      return copy_fixed<12>(to, from, rows, field.offset);
    case 16:
      return copy_fixed<16>(to, from, rows, field.offset);
    case 24:
      return copy_fixed<24>(to, from, rows, field.offset);
    case 32:
      return copy_fixed<32>(to, from, rows, field.offset);
    default:
      if (field.bytes > 16 && field.bytes <= kMostMoves) return copy_moves(to, from, rows, field.offset, field.bytes);
      for (size_t i = 0; i < rows; ++i) std::memcpy(to + i * field.bytes, from[i] + field.offset, field.bytes);
  }
}

/// A few numbers without a call, which would take longer.
void copy_field(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t kMove = 4, kFew = 16;
  if (bytes > kFew * kMove || bytes % kMove != 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (size_t at = 0; at < bytes; at += kMove) std::memcpy(to + at, from + at, kMove);
}

void write_columns(std::byte* record, std::span<const Field> fields, std::span<const void* const> columns,
                   uint64_t row) {
  for (size_t i = 0; i < fields.size(); ++i)
    copy_field(record + fields[i].offset, static_cast<const std::byte*>(columns[i]) + row * fields[i].bytes,
               fields[i].bytes);
}

}  // namespace

Layout::Layout(const BufferSpec& spec) {
  const auto add = [this](ColumnShape column) {
    const size_t bytes = column.bytes();
    fields.push_back({std::move(column), payload, bytes});
    payload += bytes;
  };
  for (const ColumnShape& column : spec.observed) add(column);
  acted = fields.size();
  for (const ColumnShape& column : spec.acted) add(column);
  next = fields.size();
  known = payload;
  for (ColumnShape column : spec.observed) {
    column.name = "next_" + column.name;
    add(std::move(column));
  }
  numbers = fields.size();
  add({"reward", SPAR_DTYPE_FLOAT, 32, {}});
  if (spec.kind == SPAR_BUF_ROLLOUT) {
    add({"terminated", SPAR_DTYPE_UINT, 8, {}});
    add({"truncated", SPAR_DTYPE_UINT, 8, {}});
    add({"last", SPAR_DTYPE_UINT, 8, {}});
  } else {
    add({"discount", SPAR_DTYPE_FLOAT, 32, {}});
    add({"terminated", SPAR_DTYPE_UINT, 8, {}});
  }
  stride = round_up(payload, kCacheLine);
}

void Layout::write_known(std::byte* record, const StepRows& rows, uint64_t row) const {
  const std::span all(fields);
  write_columns(record, all.subspan(0, acted), rows.observed, row);
  write_columns(record, all.subspan(acted, next - acted), rows.acted, row);
}

void Layout::write_next(std::byte* record, const StepRows& rows, uint64_t row) const {
  write_columns(record, std::span(fields).subspan(next, numbers - next), rows.next, row);
}

void Layout::check_rows(const StepRows& rows, uint64_t lanes) const {
  const auto refuse = [](const std::string& problem) {
    throw Error("E0802", Exit::failed, "a step cannot be stored: " + problem);
  };
  const auto check_part = [&](const char* name, std::span<const void* const> columns, size_t expected) {
    if (columns.size() != expected)
      refuse(std::to_string(columns.size()) + " columns of kind `" + name + "` where " + std::to_string(expected) +
             " are expected");
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i] == nullptr) refuse("column " + std::to_string(i) + " of kind `" + name + "` is missing");
  };
  if (rows.rows == 0) return;
  check_part("observed", rows.observed, acted);
  check_part("acted", rows.acted, next - acted);
  check_part("next", rows.next, acted);
  if (rows.reward == nullptr || rows.terminated == nullptr || rows.truncated == nullptr)
    refuse("reward, terminated or truncated is missing");
  for (uint64_t i = 0; i < rows.rows; ++i) {
    const uint64_t lane = rows.lane_of(i);
    if (lane >= lanes)
      refuse("row " + std::to_string(i) + " is of lane " + std::to_string(lane) + ", but there are " +
             std::to_string(lanes) + " lanes");
    if (!std::isfinite(rows.reward[i]))
      refuse("the reward of lane " + std::to_string(lane) + " is " + std::to_string(rows.reward[i]) +
             "; the environment must give finite rewards");
  }
}

void gather(const Layout& layout, const std::byte* records, std::span<const uint64_t> slots,
            std::span<std::byte* const> columns) {
  const std::byte* block[kBlock];
  const size_t stride = layout.stride;
  const auto request_to = [&](size_t begin, size_t end) __attribute__((always_inline)) {
    for (size_t i = begin; i < std::min(end, slots.size()); ++i) request(records + slots[i] * stride, stride);
  };
  request_to(0, kAhead);
  for (size_t begin = 0; begin < slots.size(); begin += kBlock) {
    const size_t rows = std::min(kBlock, slots.size() - begin);
    request_to(begin + kAhead, begin + kAhead + kBlock);
    for (size_t i = 0; i < rows; ++i) block[i] = records + slots[begin + i] * stride;
    for (size_t f = 0; f < layout.fields.size(); ++f) {
      const Field& field = layout.fields[f];
      if (columns[f] == nullptr) continue;
      copy_rows(columns[f] + begin * field.bytes, block, rows, field);
    }
  }
}

}  // namespace spar::replay
