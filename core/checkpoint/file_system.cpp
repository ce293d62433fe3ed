#include "core/checkpoint/file_system.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>

namespace spar::checkpoint {
namespace {

template <class T>
T checked(T result) {
  return result < 0 ? static_cast<T>(-errno) : result;
}

}  // namespace

int PosixFileSystem::create(const Path& file) {
  return checked(::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644));
}

int PosixFileSystem::open(const Path& file) {
  // O_NONBLOCK: a FIFO of that name must be refused, not waited for.
  const int descriptor = checked(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (descriptor < 0) return descriptor;
  struct stat status {};
  const int result = ::fstat(descriptor, &status) < 0 ? -errno : (S_ISREG(status.st_mode) ? 0 : -EINVAL);
  if (result == 0) return descriptor;
  ::close(descriptor);
  return result;
}

int64_t PosixFileSystem::write(int descriptor, std::span<const std::byte> bytes) {
  return checked(int64_t{::write(descriptor, bytes.data(), bytes.size())});
}

int64_t PosixFileSystem::read(int descriptor, std::span<std::byte> bytes) {
  return checked(int64_t{::read(descriptor, bytes.data(), bytes.size())});
}

int64_t PosixFileSystem::size(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) < 0 ? -errno : int64_t{status.st_size};
}

void PosixFileSystem::begin_sync(int descriptor) {
  static_cast<void>(::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE));
}

int PosixFileSystem::fsync(int descriptor) {
  const int result = checked(::fsync(descriptor));
  // Written pages leave the cache, so that reading back asks the disk. Advice only: its result does not matter.
  if (result == 0) ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  return result;
}

int PosixFileSystem::close(int descriptor) { return checked(::close(descriptor)); }

int PosixFileSystem::rename(const Path& from, const Path& to) { return checked(std::rename(from.c_str(), to.c_str())); }

int PosixFileSystem::unlink(const Path& file) { return checked(::unlink(file.c_str())); }

int PosixFileSystem::sync_directory(const Path& directory) {
  const int descriptor = checked(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor < 0) return descriptor;
  const int result = checked(::fsync(descriptor));
  const int closed = checked(::close(descriptor));
  return result < 0 ? result : closed;
}

int PosixFileSystem::make_directory(const Path& directory) { return checked(::mkdir(directory.c_str(), 0755)); }

int PosixFileSystem::list(const Path& directory, std::vector<std::string>& names) {
  std::error_code problem;
  names.clear();
  std::filesystem::directory_iterator entry(directory, problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem))
    names.push_back(entry->path().filename().string());
  return problem ? -problem.value() : 0;
}

int64_t PosixFileSystem::free_space(const Path& directory) {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) < 0) return -errno;
  const uint64_t bytes = uint64_t{status.f_bavail} * status.f_frsize;
  return static_cast<int64_t>(std::min<uint64_t>(bytes, std::numeric_limits<int64_t>::max()));
}

}  // namespace spar::checkpoint
