#include "core/run/tensorboard.hpp"

#include <unistd.h>

#include <array>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/hash.hpp"

namespace spar::run {
namespace {

/// A protocol-buffer message under construction.
class Message {
 public:
  void fixed64(uint32_t field, double value) {
    tag(field, 1);
    raw(&value, sizeof value);
  }
  void fixed32(uint32_t field, float value) {
    tag(field, 5);
    raw(&value, sizeof value);
  }
  void integer(uint32_t field, int64_t value) {
    tag(field, 0);
    varint(static_cast<uint64_t>(value));
  }
  void bytes(uint32_t field, std::span<const std::byte> value) {
    tag(field, 2);
    varint(value.size());
    raw(value.data(), value.size());
  }
  void text(uint32_t field, std::string_view value) { bytes(field, std::as_bytes(std::span(value))); }
  std::span<const std::byte> view() const { return std::as_bytes(std::span(bytes_)); }

 private:
  void tag(uint32_t field, uint32_t wire_type) { varint(field << 3 | wire_type); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void raw(const void* data, size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  std::string bytes_;
};

/// A CRC of data that itself holds CRCs says little, hence TFRecord's mask.
uint32_t masked_crc(std::span<const std::byte> data) {
  const uint32_t crc = crc32c(data);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

AppendFile new_file(const std::filesystem::path& directory, double wall_time) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  std::array<char, 256> host{};
  const bool named = ::gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0';
  const std::string stem = "events.out.tfevents." + std::to_string(static_cast<int64_t>(wall_time)) + "." +
                           (named ? host.data() : "localhost") + "." + std::to_string(::getpid()) + ".";
  int number = 0;
  while (std::filesystem::exists(directory / (stem + std::to_string(number)), problem)) ++number;
  return AppendFile(directory / (stem + std::to_string(number)), AppendFile::Mode::new_only);
}

}  // namespace

std::vector<std::byte> frame(std::span<const std::byte> message) {
  const auto length = uint64_t{message.size()};
  ByteWriter out;
  out.put(length);
  out.put(masked_crc(std::as_bytes(std::span(&length, 1))));
  out.raw(message.data(), message.size());
  out.put(masked_crc(message));
  return out.take();
}

std::vector<std::byte> version_event(double wall_time) {
  Message event;
  event.fixed64(1, wall_time);
  event.text(3, "brain.Event:2");
  return frame(event.view());
}

std::vector<std::byte> scalar_event(double wall_time, int64_t step, std::span<const Scalar> scalars) {
  Message summary;
  for (const Scalar& scalar : scalars) {
    Message value;
    value.text(1, scalar.tag);
    value.fixed32(2, static_cast<float>(scalar.value));
    summary.bytes(1, value.view());
  }
  Message event;
  event.fixed64(1, wall_time);
  event.integer(2, step);
  event.bytes(5, summary.view());
  return frame(event.view());
}

std::vector<std::byte> start_event(double wall_time, int64_t step) {
  Message session;
  session.integer(1, 1);
  Message event;
  event.fixed64(1, wall_time);
  event.integer(2, step);
  event.bytes(7, session.view());
  return frame(event.view());
}

EventFile::EventFile(const std::filesystem::path& directory, double wall_time) : file_(new_file(directory, wall_time)) {
  append(version_event(wall_time));
}

bool EventFile::write(double wall_time, int64_t step, std::span<const Scalar> scalars) {
  return append(scalar_event(wall_time, step, scalars));
}

bool EventFile::resumed_at(double wall_time, int64_t step) { return append(start_event(wall_time, step)); }

bool EventFile::append(const std::vector<std::byte>& event) {
  if (file_.append(event)) {
    outage_ = false;
    return true;
  }
  ++lost_;
  return std::exchange(outage_, true);
}

}  // namespace spar::run
