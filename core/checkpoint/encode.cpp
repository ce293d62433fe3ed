#include <algorithm>
#include <set>

#include "core/base/bytes.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/checkpoint/layout.hpp"

namespace spar::checkpoint {
namespace {

constexpr std::array<std::byte, kAlignment> kZeros{};

[[noreturn]] void refuse(const std::string& problem) {
  throw Error("E0506", Exit::failed, "checkpoint cannot be encoded: " + problem);
}

void check_caps(const Checkpoint& checkpoint) {
  if (checkpoint.manifest.size() > kMaxManifest)
    refuse("the manifest has " + std::to_string(checkpoint.manifest.size()) + " bytes, at most " +
           std::to_string(kMaxManifest) + " are allowed");
  if (checkpoint.sections.size() > kMaxSections)
    refuse("it has " + std::to_string(checkpoint.sections.size()) + " sections, at most " +
           std::to_string(kMaxSections) + " are allowed");
  std::set<std::string_view> names;
  for (const Section& section : checkpoint.sections) {
    const std::string shown = printable(section.name);
    if (section.name.empty() || section.name.size() > kMaxName || shown != section.name)
      refuse("the section name `" + shown + "` must have 1 to 255 bytes and no control characters");
    if (!names.insert(section.name).second) refuse("two sections are named `" + shown + "`");
  }
}

template <class T>
std::vector<std::byte> sealed(T value, uint32_t T::*crc) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  value.*crc = crc32c(bytes.first(sizeof(T) - sizeof(uint32_t)));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

const Section* Checkpoint::find(std::string_view name) const {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

const Section& Checkpoint::section(std::string_view name) const {
  if (const Section* found = find(name)) return *found;
  std::vector<std::string> names;
  for (const Section& section : sections) names.push_back("`" + section.name + "`");
  throw Error("E0505", Exit::failed,
              "checkpoint of step " + std::to_string(step) + " has no section `" + std::string(name) + "`; it has " +
                  (names.empty() ? "none" : listing(names)))
      .help("it was written with other components or by another version: resume with those, or start a new run");
}

void Encoded::add(std::span<const std::byte> piece) {
  if (!piece.empty()) pieces_.push_back(piece);
  size_ += piece.size();
}

void Encoded::pad() { add(std::span(kZeros).first(aligned(size_) - size_)); }

Encoded::Encoded(const Checkpoint& checkpoint) {
  check_caps(checkpoint);
  header_.resize(kHeaderSize);
  add(header_);
  const auto manifest = std::as_bytes(std::span(checkpoint.manifest));
  add(manifest);

  ByteWriter table;
  for (const Section& section : checkpoint.sections) {
    pad();
    table.put(section.type);
    table.put(crc32c(section.data));
    table.put(size_);
    table.put(uint64_t{section.data.size()});
    table.put(static_cast<uint8_t>(section.name.size()));
    table.raw(section.name.data(), section.name.size());
    add(section.data);
  }
  pad();
  table_ = table.take();

  Header header;
  header.sections = static_cast<uint32_t>(checkpoint.sections.size());
  header.file_length = size_ + table_.size() + kTrailerSize;
  header.step = checkpoint.step;
  header.table_offset = size_;
  header.table_length = table_.size();
  header.manifest_length = static_cast<uint32_t>(manifest.size());
  header.manifest_crc = crc32c(manifest);
  header.table_crc = crc32c(table_);
  trailer_ = sealed(Trailer{header.file_length, header.table_crc, 0}, &Trailer::trailer_crc);
  std::ranges::copy(sealed(header, &Header::header_crc), header_.begin());
  add(table_);
  add(trailer_);
}

std::vector<std::byte> encode(const Checkpoint& checkpoint) {
  const Encoded encoded(checkpoint);
  std::vector<std::byte> file;
  file.reserve(encoded.size());
  for (const auto piece : encoded.pieces()) file.insert(file.end(), piece.begin(), piece.end());
  return file;
}

}  // namespace spar::checkpoint
