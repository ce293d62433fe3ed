// Damaged checkpoints whose checksums are right.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/hash.hpp"
#include "core/checkpoint/container.hpp"
#include "core/checkpoint/layout.hpp"

namespace spar::checkpoint {

template <class T>
void patch(std::vector<std::byte>& file, size_t offset, T value) {
  std::memcpy(file.data() + offset, &value, sizeof value);
}

/// Makes all checksums right again, so that only the checks of the structure are left to refuse the file, which
/// holds a header and a trailer at least.
inline void repair(std::vector<std::byte>& file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  const auto crc_of = [&](uint64_t offset, uint64_t length) {
    offset = std::min<uint64_t>(offset, file.size());
    return crc32c(std::span(file).subspan(offset, std::min<uint64_t>(length, file.size() - offset)));
  };
  const uint64_t table = header.table_offset, end = table + header.table_length;
  if (end <= file.size() && table <= end) {
    uint64_t at = table;
    for (uint32_t i = 0; i < header.sections && at + kEntrySize <= end; ++i) {
      uint64_t offset, length;
      std::memcpy(&offset, file.data() + at + 8, 8);
      std::memcpy(&length, file.data() + at + 16, 8);
      patch(file, at + 4, crc_of(offset, length));
      at += kEntrySize + std::to_integer<uint8_t>(file[at + 24]);
    }
  }
  header.manifest_crc = crc_of(kHeaderSize, header.manifest_length);
  header.table_crc = crc_of(table, header.table_length);
  patch(file, 0, header);
  patch(file, 60, crc32c(std::span(file).first(60)));
  const size_t trailer = file.size() - kTrailerSize;
  patch(file, trailer, header.file_length);
  patch(file, trailer + 8, header.table_crc);
  patch(file, trailer + 12, crc32c(std::span(file).subspan(trailer, 12)));
}

}  // namespace spar::checkpoint
