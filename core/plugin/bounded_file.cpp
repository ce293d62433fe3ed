#include "core/plugin/bounded_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace spar::plugin {

void BoundedFile::read(uint64_t offset, void* data, uint64_t n, const char* what) const {
  if (!holds(offset, n)) cut_off(offset, n, what);
  auto* at = static_cast<char*>(data);
  while (n > 0) {
    const ssize_t got = ::pread(fd_, at, n, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw Refusal{"cannot be read (" + std::generic_category().message(errno) + ")", "check the file and its disk"};
    if (got == 0) throw Refusal{"became shorter while it was read", "wait until it is copied completely"};
    at += got;
    offset += static_cast<uint64_t>(got);
    n -= static_cast<uint64_t>(got);
  }
}

std::string BoundedFile::text(uint64_t offset, uint64_t end, const char* what) const {
  constexpr uint64_t kMost = 4096;
  if (offset >= end || !holds(offset, 1))
    throw Refusal{std::string("is damaged: ") + what + " begins outside its table", "build or copy it again"};
  std::array<char, kMost> bytes;
  const uint64_t n = std::min({kMost, end - offset, size_ - offset});
  read(offset, bytes.data(), n, what);
  const void* nul = std::memchr(bytes.data(), 0, n);
  if (!nul) throw Refusal{std::string("is damaged: ") + what + " does not end", "build or copy it again"};
  return std::string(bytes.data());
}

void BoundedFile::cut_off(uint64_t offset, uint64_t n, const std::string& what) const {
  const uint64_t end = n > UINT64_MAX - offset ? UINT64_MAX : offset + n;
  throw Refusal{
      "is cut off: " + what + " ends at byte " + std::to_string(end) + " but the file has " + std::to_string(size_),
      "copy it again"};
}

void BoundedFile::too_many(uint64_t n, uint64_t most, const char* what) {
  throw Refusal{std::string("is damaged: ") + what + " claims " + std::to_string(n) + " entries, at most " +
                    std::to_string(most) + " are read",
                "build or copy it again"};
}

}  // namespace spar::plugin
