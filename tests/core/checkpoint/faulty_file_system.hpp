// Lets the k-th call of another file system fail.
#pragma once

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <string>

#include "core/checkpoint/file_system.hpp"

namespace spar::checkpoint {

/// Stands for the moment at which the machine stops.
struct PowerLost {};

class FaultyFileSystem final : public FileSystem {
 public:
  enum class Fault { error, short_write, power };

  explicit FaultyFileSystem(FileSystem& files) : files_(files) {}

  int create(const Path& file) override {
    if (const int result = next("create")) return result;
    return files_.create(file);
  }
  int open(const Path& file) override {
    if (const int result = next("open")) return result;
    return files_.open(file);
  }
  int64_t write(int descriptor, std::span<const std::byte> bytes) override {
    const bool shortened = fault == Fault::short_write && due();
    if (const int result = next("write")) return result;
    return files_.write(descriptor, shortened ? bytes.first((bytes.size() + 1) / 2) : bytes);
  }
  int64_t read(int descriptor, std::span<std::byte> bytes) override {
    const bool shortened = fault == Fault::short_write && due();
    if (const int result = next("read")) return result;
    return files_.read(descriptor, shortened ? bytes.first((bytes.size() + 1) / 2) : bytes);
  }
  int64_t size(int descriptor) override {
    if (const int result = next("size")) return result;
    return files_.size(descriptor);
  }
  int fsync(int descriptor) override {
    if (descriptor == failed_sync_) ++repeated_syncs;
    const int result = next("fsync");
    if (result) failed_sync_ = descriptor;
    return result ? result : files_.fsync(descriptor);
  }
  int close(int descriptor) override {
    if (descriptor == failed_sync_) failed_sync_ = -1;
    const int result = next("close");
    if (!dead_) files_.close(descriptor);
    return result;
  }
  int rename(const Path& from, const Path& to) override {
    if (const int result = next("rename")) return result;
    return files_.rename(from, to);
  }
  int unlink(const Path& file) override {
    if (const int result = next("unlink")) return result;
    return files_.unlink(file);
  }
  int sync_directory(const Path& directory) override {
    if (const int result = next("sync_directory")) return result;
    return files_.sync_directory(directory);
  }
  int make_directory(const Path& directory) override {
    if (const int result = next("make_directory")) return result;
    return files_.make_directory(directory);
  }
  int list(const Path& directory, std::vector<std::string>& names) override {
    if (const int result = next("list")) return result;
    return files_.list(directory, names);
  }
  int64_t free_space(const Path& directory) override { return dead_ ? -EIO : files_.free_space(directory); }

  /// The `first`-th call from now (from 1) fails with `-number`, and if `for_ever` all that come after it.
  void arm(int first, int number, bool for_ever = false, Fault kind = Fault::error) {
    calls = 0, at_ = first, errno_ = number, for_ever_ = for_ever, fault = kind;
  }
  void disarm() { at_ = 0; }

  int calls = 0;
  int repeated_syncs = 0;
  std::string failed;  ///< the call that failed last
  Fault fault = Fault::error;

 private:
  bool due() const { return at_ > 0 && (calls + 1 == at_ || (for_ever_ && calls + 1 > at_)); }
  int next(const char* call) {
    if (dead_) return -EIO;
    const bool now = due();
    ++calls;
    if (!now || fault == Fault::short_write) return 0;
    failed = call;
    if (fault == Fault::power) {
      dead_ = true;
      throw PowerLost{};
    }
    return -errno_;
  }

  FileSystem& files_;
  int at_ = 0;
  int errno_ = 0;
  bool for_ever_ = false;
  bool dead_ = false;
  int failed_sync_ = -1;
};

}  // namespace spar::checkpoint
