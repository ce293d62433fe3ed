// Which files and directories are trusted to hold plugins: a plugin is code that runs as the user, so nobody but root
// and the user may be able to change it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/plugin/refusal.hpp"

namespace spar::plugin {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  void reset();

 private:
  int fd_ = -1;
};

/// Tells one state of a file from another without reading it.
struct FileKey {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t mtime_ns = 0;
  bool operator==(const FileKey&) const = default;
};

struct OpenFile {
  Descriptor descriptor;
  FileKey key;
};

/// Opens without following a symbolic link and without blocking on a FIFO. Refused: anything but a regular file, an
/// owner other than root and the effective user, write permission of group or others, set-user-id and set-group-id.
std::variant<OpenFile, Refusal> open_trusted(const std::filesystem::path& path);

/// Checks an absolute path to a directory and each of its parents: owner root or the effective user, not writable by
/// group or others, except a sticky directory of root (/tmp). Symbolic links on the way are followed if root or the
/// user made them; what they lead to is checked the same way.
std::optional<Refusal> distrust_directory(const std::filesystem::path& directory);

}  // namespace spar::plugin
