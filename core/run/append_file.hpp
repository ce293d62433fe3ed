// A file that only grows, for records whose loss must not end a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace spar::run {

/// Each record is one write() with O_APPEND. A record that does not fit is taken back, so that the file always ends
/// with a whole one.
class AppendFile {
 public:
  enum class Mode { existing_or_new, new_only };

  /// Throws E0604 with the system's reason.
  explicit AppendFile(const std::filesystem::path& file, Mode mode = Mode::existing_or_new);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;
  ~AppendFile();

  /// False if the disk does not take it (errno says why); the file is as before, as soon as the system allows that.
  bool append(std::span<const std::byte> record) noexcept;
  /// Shortens the file to `size` bytes.
  bool cut(uint64_t size) noexcept;
  /// Waits until everything is on the disk; nothing to wait for if nothing has changed since.
  bool sync() noexcept;
  /// Reads at `offset` without moving anything; fewer bytes at the end or after an error.
  size_t read(uint64_t offset, std::span<char> into) const noexcept;

  uint64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;    ///< of the whole records
  bool broken_ = false;  ///< part of a record lies behind them
  bool synced_ = false;  ///< what the file holds is on the disk
};

}  // namespace spar::run
