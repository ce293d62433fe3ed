// Fixed-size parts of the container as they lie in the file.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/checkpoint/container.hpp"

namespace spar::checkpoint {

static_assert(std::endian::native == std::endian::little, "the container is written as it lies in memory");

inline constexpr std::array<char, 8> kMagic = {'S', 'P', 'A', 'R', 'C', 'K', 'P', 'T'};

struct Header {
  std::array<char, 8> magic = kMagic;
  uint32_t version = kVersion;
  uint32_t sections = 0;
  uint64_t file_length = 0;
  uint64_t step = 0;
  uint64_t table_offset = 0;
  uint64_t table_length = 0;
  uint32_t manifest_length = 0;
  uint32_t manifest_crc = 0;
  uint32_t table_crc = 0;
  uint32_t header_crc = 0;  ///< of the 60 bytes before
};
static_assert(sizeof(Header) == kHeaderSize && std::is_trivially_copyable_v<Header>);

struct Trailer {
  uint64_t file_length = 0;
  uint32_t table_crc = 0;
  uint32_t trailer_crc = 0;  ///< of the 12 bytes before
};
static_assert(sizeof(Trailer) == kTrailerSize && std::is_trivially_copyable_v<Trailer>);

/// A table entry without its name: type, CRC-32C, offset, length, length of the name (one byte).
inline constexpr size_t kEntrySize = 4 + 4 + 8 + 8 + 1;

constexpr uint64_t aligned(uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace spar::checkpoint
