#include <algorithm>
#include <cstring>
#include <set>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/checkpoint/layout.hpp"

namespace spar::checkpoint {
namespace {

std::string hex(uint32_t value) {
  std::string digits(8, '0');
  for (size_t i = 8; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

/// One file being decoded; the offset only moves forward.
class Decoder {
 public:
  Decoder(std::span<const std::byte> file, std::string_view name) : file_(file), name_(name) {}

  Header header(uint64_t file_size) const {
    if (file_size < kHeaderSize + kTrailerSize || file_.size() < kHeaderSize)
      fail("header", 0, "the file has " + std::to_string(file_size) + " bytes, too few for a checkpoint");
    Header header;
    std::memcpy(&header, file_.data(), sizeof header);
    if (header.magic != kMagic) fail("header", 0, "the file does not begin like a checkpoint (SPARCKPT)");
    check_crc("header", 0, file_.first(kHeaderSize - sizeof(uint32_t)), header.header_crc);
    if (header.version != kVersion)
      fail("header", 8,
           "it has version " + std::to_string(header.version) + ", this program reads version " +
               std::to_string(kVersion));
    if (header.file_length != file_size)
      fail("header", 16,
           "the file has " + std::to_string(file_size) + " bytes where " + std::to_string(header.file_length) +
               " are expected");
    if (header.sections > kMaxSections)
      fail("header", 12,
           "it claims " + std::to_string(header.sections) + " sections, at most " + std::to_string(kMaxSections) +
               " are allowed");
    if (header.manifest_length > kMaxManifest)
      fail("header", 48,
           "it claims a manifest of " + std::to_string(header.manifest_length) + " bytes, at most " +
               std::to_string(kMaxManifest) + " are allowed");
    const uint64_t room = file_size - kHeaderSize - kTrailerSize;
    if (header.table_length > room || header.table_offset != file_size - kTrailerSize - header.table_length)
      fail("header", 32, "the table does not end where the trailer begins");
    if (header.manifest_length > room - header.table_length) fail("header", 48, "the manifest does not fit the file");
    if (header.table_length < header.sections * kEntrySize)
      fail("header", 40, "the table is too short for " + std::to_string(header.sections) + " sections");
    return header;
  }

  Checkpoint decode() {
    const Header head = header(file_.size());
    check_trailer(head);
    const auto table = file_.subspan(head.table_offset, head.table_length);
    check_crc("table", head.table_offset, table, head.table_crc);

    Checkpoint checkpoint;
    checkpoint.step = head.step;
    const auto manifest = file_.subspan(kHeaderSize, head.manifest_length);
    check_crc("manifest", kHeaderSize, manifest, head.manifest_crc);
    checkpoint.manifest.assign(reinterpret_cast<const char*>(manifest.data()), manifest.size());
    end_ = kHeaderSize + manifest.size();

    checkpoint.sections.reserve(head.sections);
    std::set<std::string> names;
    size_t at = 0;
    for (uint32_t i = 0; i < head.sections; ++i) {
      checkpoint.sections.push_back(section(head, table, at));
      if (!names.insert(checkpoint.sections.back().name).second)
        fail("table", head.table_offset + at, "two sections are named `" + checkpoint.sections.back().name + "`");
    }
    if (at != table.size())
      fail("table", head.table_offset + at, "it has " + std::to_string(table.size() - at) + " bytes too many");
    check_padding("table", head.table_offset);
    return checkpoint;
  }

 private:
  template <class T>
  static T take(std::span<const std::byte> bytes, size_t& at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }

  Section section(const Header& head, std::span<const std::byte> table, size_t& at) {
    const uint64_t place = head.table_offset + at;
    if (table.size() - at < kEntrySize) fail("table", place, "the entry is cut short");
    Section section;
    section.type = take<uint32_t>(table, at);
    const auto crc = take<uint32_t>(table, at);
    const auto offset = take<uint64_t>(table, at);
    const auto length = take<uint64_t>(table, at);
    const size_t name_length = take<uint8_t>(table, at);
    if (name_length == 0 || name_length > table.size() - at) fail("table", place, "the name has no valid length");
    section.name.assign(reinterpret_cast<const char*>(table.data() + at), name_length);
    at += name_length;
    const std::string part = "section `" + printable(section.name) + "`";
    if (printable(section.name) != section.name) fail(part, place, "the name has control characters");
    check_padding(part, offset);
    if (offset > head.table_offset || length > head.table_offset - offset)
      fail(part, offset, "its " + std::to_string(length) + " bytes reach into the table");
    const auto data = file_.subspan(offset, length);
    check_crc(part, offset, data, crc);
    section.data.assign(data.begin(), data.end());
    end_ = offset + length;
    return section;
  }

  /// What comes next must begin at the next multiple of 64, behind zeros.
  void check_padding(const std::string& part, uint64_t offset) const {
    if (offset != aligned(end_))
      fail(part, offset, "it must begin at byte " + std::to_string(aligned(end_)) + ", without a hole or an overlap");
    if (offset > file_.size()) fail(part, offset, "it begins behind the end of the file");
    const auto padding = file_.subspan(end_, offset - end_);
    const auto wrong = std::find_if(padding.begin(), padding.end(), [](std::byte b) { return b != std::byte{0}; });
    if (wrong != padding.end())
      fail("padding before " + part, end_ + static_cast<uint64_t>(wrong - padding.begin()), "a byte is not zero");
  }

  void check_trailer(const Header& head) const {
    const uint64_t offset = file_.size() - kTrailerSize;
    Trailer trailer;
    std::memcpy(&trailer, file_.data() + offset, sizeof trailer);
    check_crc("trailer", offset, file_.subspan(offset, kTrailerSize - sizeof(uint32_t)), trailer.trailer_crc);
    if (trailer.file_length != head.file_length || trailer.table_crc != head.table_crc)
      fail("trailer", offset, "it does not repeat the header");
  }

  void check_crc(const std::string& part, uint64_t offset, std::span<const std::byte> bytes, uint32_t expected) const {
    const uint32_t found = crc32c(bytes);
    if (found != expected)
      fail(part, offset, "its checksum is " + hex(found) + " where " + hex(expected) + " is expected");
  }

  [[noreturn]] void fail(const std::string& part, uint64_t offset, const std::string& problem) const {
    throw Error("E0502", Exit::failed,
                "checkpoint `" + name_ + "` is damaged: " + part + ", byte " + std::to_string(offset) + ": " + problem)
        .help("an older checkpoint of the run may be intact; this file can be deleted");
  }

  std::span<const std::byte> file_;
  std::string name_;
  uint64_t end_ = 0;  ///< behind the last part accepted so far
};

}  // namespace

Checkpoint decode(std::span<const std::byte> file, std::string_view file_name) {
  return Decoder(file, file_name).decode();
}

void check_header(std::span<const std::byte> header, uint64_t file_size, std::string_view file_name) {
  Decoder(header, file_name).header(file_size);
}

}  // namespace spar::checkpoint
