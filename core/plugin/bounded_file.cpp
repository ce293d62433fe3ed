#include "core/plugin/bounded_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace spar::plugin {

void BoundedFile::read(uint64_t offset, void* data, uint64_t n, const char* what) const {
  if (!holds(offset, n)) cut_off(offset, n, what);
  if (n == 0) return;
  constexpr uint64_t kBefore = 1024;
  if (n > near_.size() - kBefore) return read_at(offset, static_cast<char*>(data), n);
  if (offset < near_begin_ || offset + n > near_end_) {
    const uint64_t begin = offset / kBefore * kBefore, end = std::min(size_, begin + near_.size());
    near_end_ = 0;
    read_at(begin, near_.data(), end - begin);
    near_begin_ = begin;
    near_end_ = end;
  }
  std::memcpy(data, near_.data() + (offset - near_begin_), n);
}

void BoundedFile::read_at(uint64_t offset, char* to, uint64_t n) const {
  while (n > 0) {
    const ssize_t got = ::pread(fd_, to, n, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw Refusal{"cannot be read (" + std::generic_category().message(errno) + ")", "check the file and its disk"};
    if (got == 0) throw Refusal{"became shorter while it was read", "wait until it is copied completely"};
    to += got;
    offset += static_cast<uint64_t>(got);
    n -= static_cast<uint64_t>(got);
  }
}

std::string BoundedFile::text(uint64_t offset, uint64_t end, const char* what) const {
  constexpr uint64_t kMost = 4096;
  if (offset >= end || !holds(offset, 1))
    throw Refusal{std::string("is damaged: ") + what + " begins outside its table", "build or copy it again"};
  constexpr uint64_t kPiece = 128;  // most names are shorter
  const uint64_t n = std::min({kMost, end - offset, size_ - offset});
  std::string out;
  while (out.size() < n) {
    std::array<char, kPiece> bytes;
    const uint64_t piece = std::min(kPiece, n - out.size());
    read(offset + out.size(), bytes.data(), piece, what);
    const auto nul = std::find(bytes.begin(), bytes.begin() + piece, '\0');
    out.append(bytes.begin(), nul);
    if (nul != bytes.begin() + piece) return out;
  }
  throw Refusal{std::string("is damaged: ") + what + " does not end", "build or copy it again"};
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
