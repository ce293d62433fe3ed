// A checkpoint as one file. Little-endian, every byte is covered by a checksum or must be zero:
//
//   header    64 bytes: magic, version, count of sections, lengths and CRC-32C of manifest and table, CRC-32C of itself
//   manifest  JSON text
//   sections  each begins at the next multiple of 64; what lies between is zero
//   table     from the next multiple of 64: {type, CRC-32C, offset, length, name} per section, in file order
//   trailer   16 bytes: length of the file, CRC-32C of the table, CRC-32C of these 12 bytes
//
// Sections lie close together in table order: no holes, no overlap. Lengths are checked against the file before any
// memory is reserved. Contents are opaque here; they are data and are never executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spar::checkpoint {

inline constexpr size_t kHeaderSize = 64;
inline constexpr size_t kTrailerSize = 16;
inline constexpr size_t kAlignment = 64;
inline constexpr size_t kMaxManifest = size_t{1} << 20;
inline constexpr size_t kMaxSections = 65'536;
inline constexpr size_t kMaxName = 255;
inline constexpr uint32_t kVersion = 1;

struct Section {
  std::string name;   ///< unique, 1 to 255 bytes without control characters
  uint32_t type = 0;  ///< of the writer's choosing
  std::vector<std::byte> data;
};

struct Checkpoint {
  uint64_t step = 0;     ///< environment steps when it was taken
  std::string manifest;  ///< JSON text, at most 1 MiB
  std::vector<Section> sections;

  /// Null if there is none of that name.
  const Section* find(std::string_view name) const;
  /// Throws E0505 if there is none of that name.
  const Section& section(std::string_view name) const;
};

/// The file in pieces, in order, so that a large section is not copied once more to be written. Pieces of sections and
/// of the manifest point into the checkpoint, which must outlive this.
class Encoded {
 public:
  /// Throws E0506 if a name is empty, too long, not printable or used twice, or a cap is exceeded.
  explicit Encoded(const Checkpoint& checkpoint);
  Encoded(const Encoded&) = delete;
  Encoded& operator=(const Encoded&) = delete;

  std::span<const std::span<const std::byte>> pieces() const { return pieces_; }
  uint64_t size() const { return size_; }

 private:
  void add(std::span<const std::byte> piece);
  void pad();

  std::vector<std::byte> header_, table_, trailer_;
  std::vector<std::span<const std::byte>> pieces_;
  uint64_t size_ = 0;
};

/// The file as one block.
std::vector<std::byte> encode(const Checkpoint& checkpoint);

/// Throws E0502, naming file, part and offset, unless every byte is as encode() would have written it.
Checkpoint decode(std::span<const std::byte> file, std::string_view file_name);

/// The first 64 bytes alone: refuses what cannot be a checkpoint of `file_size` bytes before the rest is read.
/// Throws E0502.
void check_header(std::span<const std::byte> header, uint64_t file_size, std::string_view file_name);

}  // namespace spar::checkpoint
