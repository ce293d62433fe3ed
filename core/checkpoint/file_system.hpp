// The calls of the operating system that a checkpoint depends on, behind an interface, so that tests can fail each of
// them and drop what was not synced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace spar::checkpoint {

/// Results: a value >= 0, or -errno. Called by one thread at a time for each object unless said otherwise.
class FileSystem {
 public:
  using Path = std::filesystem::path;

  virtual ~FileSystem() = default;
  virtual int create(const Path& file) = 0;                               ///< descriptor; -EEXIST if it is there
  virtual int open(const Path& file) = 0;                                 ///< descriptor for reading a regular file
  virtual int64_t write(int descriptor, std::span<const std::byte>) = 0;  ///< bytes written, may be fewer
  virtual int64_t read(int descriptor, std::span<std::byte>) = 0;         ///< bytes read, 0 at the end
  virtual int64_t size(int descriptor) = 0;                               ///< bytes of the file
  /// Begins to write what fsync() will wait for, so that several files become durable together. Advice only.
  virtual void begin_sync(int /*descriptor*/) {}
  virtual int fsync(int descriptor) = 0;                     ///< never repeat it after a failure
  virtual int close(int descriptor) = 0;                     ///< gone also after a failure
  virtual int rename(const Path& from, const Path& to) = 0;  ///< replaces `to` at once
  virtual int unlink(const Path& file) = 0;
  virtual int sync_directory(const Path& directory) = 0;  ///< makes names durable
  virtual int make_directory(const Path& directory) = 0;  ///< -EEXIST if it is there
  virtual int list(const Path& directory, std::vector<std::string>& names) = 0;
  virtual int64_t free_space(const Path& directory) = 0;  ///< bytes
};

/// The real one. Has no state: any number of threads may use it.
class PosixFileSystem final : public FileSystem {
 public:
  int create(const Path& file) override;
  int open(const Path& file) override;
  int64_t write(int descriptor, std::span<const std::byte> bytes) override;
  int64_t read(int descriptor, std::span<std::byte> bytes) override;
  int64_t size(int descriptor) override;
  void begin_sync(int descriptor) override;
  int fsync(int descriptor) override;
  int close(int descriptor) override;
  int rename(const Path& from, const Path& to) override;
  int unlink(const Path& file) override;
  int sync_directory(const Path& directory) override;
  int make_directory(const Path& directory) override;
  int list(const Path& directory, std::vector<std::string>& names) override;
  int64_t free_space(const Path& directory) override;
};

}  // namespace spar::checkpoint
