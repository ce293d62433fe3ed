// Passes every call on to another file system; tests override the calls they care for.
#pragma once

#include "core/checkpoint/file_system.hpp"

namespace spar::checkpoint {

class ForwardingFileSystem : public FileSystem {
 public:
  explicit ForwardingFileSystem(FileSystem& files) : files_(files) {}
  int create(const Path& file) override { return files_.create(file); }
  int open(const Path& file) override { return files_.open(file); }
  int64_t write(int descriptor, std::span<const std::byte> bytes) override { return files_.write(descriptor, bytes); }
  int64_t read(int descriptor, std::span<std::byte> bytes) override { return files_.read(descriptor, bytes); }
  int64_t size(int descriptor) override { return files_.size(descriptor); }
  int fsync(int descriptor) override { return files_.fsync(descriptor); }
  int close(int descriptor) override { return files_.close(descriptor); }
  int rename(const Path& from, const Path& to) override { return files_.rename(from, to); }
  int unlink(const Path& file) override { return files_.unlink(file); }
  int sync_directory(const Path& directory) override { return files_.sync_directory(directory); }
  int make_directory(const Path& directory) override { return files_.make_directory(directory); }
  int list(const Path& directory, std::vector<std::string>& names) override { return files_.list(directory, names); }
  int64_t free_space(const Path& directory) override { return files_.free_space(directory); }

 private:
  FileSystem& files_;
};

}  // namespace spar::checkpoint
