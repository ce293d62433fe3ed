// One writer per run: an exclusive flock on a file that holds the owner's process number.
#pragma once

#include <filesystem>

namespace spar::run {

/// Held until the end of the object or of the process, however that ends. Not inherited over exec.
class Lock {
 public:
  /// Makes the file if needed. Throws E0605 naming the owner's process within 100 ms if another one holds it, or the
  /// system's reason if the file cannot be locked.
  explicit Lock(const std::filesystem::path& file);
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&& other) noexcept;
  ~Lock();

 private:
  int descriptor_ = -1;
};

/// Whether somebody holds the lock now; false if there is no such file.
bool is_locked(const std::filesystem::path& file);

}  // namespace spar::run
