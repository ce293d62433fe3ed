// Reading pieces of a file that nobody vouches for: every read is checked against the file's size first.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "core/plugin/refusal.hpp"

namespace spar::plugin {

/// Everything below throws Refusal; only the readers built on it catch it.
class BoundedFile {
 public:
  /// `fd` stays the caller's. `size` is the file's size as fstat reported it.
  BoundedFile(int fd, uint64_t size) : fd_(fd), size_(size) {}

  uint64_t size() const { return size_; }
  bool holds(uint64_t offset, uint64_t n) const { return offset <= size_ && n <= size_ - offset; }

  /// `what` names the piece in the refusal.
  void read(uint64_t offset, void* data, uint64_t n, const char* what) const;

  template <class T>
  requires std::is_trivially_copyable_v<T> T get(uint64_t offset, const char* what)
  const {
    T value;
    read(offset, &value, sizeof value, what);
    return value;
  }

  /// `n` items, at most `most`: the cap stands before the allocation.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> array(uint64_t offset, uint64_t n, uint64_t most,
                                                                const char* what)
  const {
    if (n > most) too_many(n, most, what);
    if (!holds(offset, n * sizeof(T))) cut_off(offset, n * sizeof(T), what);
    std::vector<T> values(n);
    read(offset, values.data(), n * sizeof(T), what);
    return values;
  }

  /// A NUL-terminated text that begins at `offset` and ends before `end`; at most 4,095 bytes.
  std::string text(uint64_t offset, uint64_t end, const char* what) const;

  [[noreturn]] void cut_off(uint64_t offset, uint64_t n, const std::string& what) const;

 private:
  [[noreturn]] static void too_many(uint64_t n, uint64_t most, const char* what);
  void read_at(uint64_t offset, char* to, uint64_t n) const;

  int fd_;
  uint64_t size_;
  // What was read last: headers, notes and names lie close together, and each is a few bytes.
  mutable std::array<char, 4096> near_;
  mutable uint64_t near_begin_ = 0, near_end_ = 0;
};

}  // namespace spar::plugin
