#include "core/run/lock.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "core/base/error.hpp"

namespace spar::run {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 80ms;

int try_lock(int descriptor, int kind) {
  int result = 0;
  do result = ::flock(descriptor, kind | LOCK_NB);
  while (result < 0 && errno == EINTR);
  return result;
}

/// The process number in the file; 0 if it is not written yet.
pid_t owner(int descriptor) {
  std::array<char, 24> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
  pid_t pid = 0;
  if (length <= 0 || text[static_cast<size_t>(length) - 1] != '\n') return 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + length - 1, pid);
  return problem == std::errc() && end == text.data() + length - 1 && pid > 0 ? pid : 0;
}

bool alive(pid_t pid) { return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM); }

[[noreturn]] void fail(int descriptor, const std::filesystem::path& file, const std::string& problem,
                       const std::string& help) {
  if (descriptor >= 0) ::close(descriptor);
  throw Error("E0605", Exit::failed, "run `" + file.parent_path().string() + "` " + problem).help(help);
}

[[noreturn]] void cannot_lock(int descriptor, const std::filesystem::path& file) {
  const bool full = errno == ENOSPC || errno == EDQUOT;
  fail(descriptor, file, std::string("cannot be locked: ") + std::strerror(errno),
       full ? "free some room on its disk, or work on another one (-C)"
            : "make the directory of the run writable, on a file system that knows locks");
}

}  // namespace

Lock::Lock(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) cannot_lock(-1, file);
  // Between taking the lock and writing its number the owner is unknown, and the file may still hold the number of a
  // process that was killed: so the number counts only if that process lives, and the lock is tried again meanwhile.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (try_lock(descriptor, LOCK_EX) != 0) {
    if (errno != EWOULDBLOCK) cannot_lock(descriptor, file);
    const pid_t pid = owner(descriptor);
    const bool late = std::chrono::steady_clock::now() >= deadline;
    if (alive(pid) || late)
      fail(descriptor, file, pid > 0 ? "is in use by process " + std::to_string(pid) : "is in use by another process",
           "wait until that process ends, or stop it (it saves on SIGTERM); to try something else, start a new run");
    std::this_thread::sleep_for(1ms);
  }
  const std::string number = std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, number.data(), number.size(), 0) != static_cast<ssize_t>(number.size()))
    cannot_lock(descriptor, file);
  descriptor_ = descriptor;
}

Lock::Lock(Lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Lock& Lock::operator=(Lock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Lock::~Lock() {
  if (descriptor_ < 0) return;
  [[maybe_unused]] const int emptied = ::ftruncate(descriptor_, 0);
  ::close(descriptor_);
}

bool is_locked(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = try_lock(descriptor, LOCK_SH) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

}  // namespace spar::run
