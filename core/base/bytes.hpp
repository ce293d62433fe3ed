// Writing and reading the state of a component as bytes, for checkpoints. Little-endian, no alignment, no type tags:
// the checkpoint's sections carry the checksum, this pair only refuses to read past the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"

namespace spar {

class ByteWriter {
 public:
  /// Room for so many bytes in all: what grows by doubling holds much twice while it is copied.
  void reserve(size_t size) { bytes_.reserve(size); }
  void raw(const void* data, size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { raw(&value, sizeof value); }
  void text(std::string_view value) {
    put<uint64_t>(value.size());
    raw(value.data(), value.size());
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void array(std::span<const T> values) {
    put<uint64_t>(values.size());
    raw(values.data(), values.size_bytes());
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Throws Error E0501 when the bytes end too early or a length does not fit what is expected.
class ByteReader {
 public:
  /// `what` names the section in messages and must outlive the reader.
  ByteReader(std::span<const std::byte> bytes, std::string_view what) : bytes_(bytes), what_(what) {}

  void raw(void* data, size_t size) {
    if (size > bytes_.size()) fail("ends " + std::to_string(size - bytes_.size()) + " bytes too early");
    if (size > 0) std::memcpy(data, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    raw(&value, sizeof value);
    return value;
  }
  std::string text() {
    std::string value(length(1), '\0');
    raw(value.data(), value.size());
    return value;
  }
  /// Reads an array into memory that already has the right length.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void array(std::span<T> values) {
    const uint64_t n = length(sizeof(T));
    if (n != values.size())
      fail("holds " + std::to_string(n) + " values where " + std::to_string(values.size()) + " are expected");
    raw(values.data(), values.size_bytes());
  }
  template <class T>
  std::vector<T> vector() {
    std::vector<T> values(length(sizeof(T)));
    raw(values.data(), values.size() * sizeof(T));
    return values;
  }
  size_t left() const { return bytes_.size(); }
  /// Call when everything is read: bytes that remain mean that reader and writer disagree.
  void end() const {
    if (!bytes_.empty()) fail("has " + std::to_string(bytes_.size()) + " bytes too many");
  }

 private:
  uint64_t length(size_t item) {
    const auto n = get<uint64_t>();
    if (n > bytes_.size() / item) fail("claims " + std::to_string(n) + " items, more than the bytes that remain");
    return n;
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error("E0501", Exit::failed, "checkpoint section `" + std::string(what_) + "` " + problem);
  }

  std::span<const std::byte> bytes_;
  std::string_view what_;
};

}  // namespace spar
