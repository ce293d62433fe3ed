// Where the columns of a transition lie inside its record, and how records become columns again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/replay/rows.hpp"
#include "core/replay/spec.hpp"

namespace spar::replay {

/// A column of the sampled batch and its place in the record.
struct Field {
  ColumnShape column;
  size_t offset = 0;
  size_t bytes = 0;
};

/// Records are packed: [observed | acted | next | numbers of the step], then padding to whole cache lines. The part
/// before `next` is known when the step is taken, the rest when its window closes.
struct Layout {
  explicit Layout(const BufferSpec& spec);

  /// Index in `fields` of the first column of each part.
  size_t acted = 0, next = 0, numbers = 0;
  size_t known = 0;    ///< bytes of observed and acted
  size_t payload = 0;  ///< bytes in use
  size_t stride = 0;   ///< bytes from record to record
  std::vector<Field> fields;

  /// Writes observed and acted of one row to the head of a record.
  void write_known(std::byte* record, const StepRows& rows, uint64_t row) const;
  /// Writes the next_ columns of one row.
  void write_next(std::byte* record, const StepRows& rows, uint64_t row) const;

  /// Throws Error E0802 unless the rows have this layout's columns, lanes below `lanes` and finite rewards.
  void check_rows(const StepRows& rows, uint64_t lanes) const;
};

/// Copies field f of records slot[0], slot[1], .. to column[f], for all fields whose column is not null. Random reads
/// of a large ring wait for memory, so the records of the next block are requested while one block is copied.
void gather(const Layout& layout, const std::byte* records, std::span<const uint64_t> slots,
            std::span<std::byte* const> columns);

}  // namespace spar::replay
