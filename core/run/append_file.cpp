#include "core/run/append_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"

namespace spar::run {

AppendFile::AppendFile(const std::filesystem::path& file, Mode mode) : path_(file) {
  const int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (mode == Mode::new_only ? O_EXCL : 0);
  descriptor_ = ::open(file.c_str(), flags, 0644);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) < 0) {
    const int reason = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw Error("E0604", Exit::failed, "cannot open `" + file.string() + "` for writing: " + std::strerror(reason))
        .help("make the directory of the run writable");
  }
  size_ = static_cast<uint64_t>(status.st_size);
  synced_ = size_ == 0;  // who wrote what is there may not have come to it
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      broken_(other.broken_),
      synced_(other.synced_) {}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool AppendFile::append(std::span<const std::byte> record) noexcept {
  if (broken_ && !cut(size_)) return false;
  synced_ = false;
  ssize_t written = 0;
  do written = ::write(descriptor_, record.data(), record.size());
  while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(record.size())) {
    size_ += record.size();
    return true;
  }
  if (written > 0) {
    broken_ = true;
    cut(size_);
    errno = ENOSPC;
  }
  return false;
}

bool AppendFile::cut(uint64_t size) noexcept {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) < 0) return false;
  size_ = size;
  broken_ = synced_ = false;
  return true;
}

bool AppendFile::sync() noexcept {
  if (!synced_) synced_ = ::fdatasync(descriptor_) == 0;
  return synced_;
}

size_t AppendFile::read(uint64_t offset, std::span<char> into) const noexcept {
  size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace spar::run
