// Memory that starts on a cache line and is not touched before it is used.
#pragma once

#include <cstddef>
#include <memory>

namespace spar::replay {

inline constexpr size_t kCacheLine = 64;

constexpr size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

/// Uninitialised bytes, aligned to kCacheLine. Pages of a large block cost nothing before the first write, so a ring
/// may reserve its whole capacity at once. Throws std::bad_alloc, also for more than the
/// machine has.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(size_t size);

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const noexcept;
  };
  std::unique_ptr<std::byte, Free> bytes_;
  size_t size_ = 0;
};

}  // namespace spar::replay
