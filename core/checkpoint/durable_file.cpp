#include "core/checkpoint/durable_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <list>
#include <utility>

#include "core/base/error.hpp"

namespace spar::checkpoint {
namespace {

using Path = FileSystem::Path;
using Pieces = std::span<const std::span<const std::byte>>;

Path directory_of(const Path& file) { return file.has_parent_path() ? file.parent_path() : Path("."); }

/// Repeats a call that a signal interrupted.
template <class Call>
auto again(Call call) {
  auto result = call();
  while (result == -EINTR) result = call();
  return result;
}

/// One attempt to write one file; whatever happens, no descriptor stays open.
class Attempt {
 public:
  Attempt(FileSystem& files, const Path& file, Pieces pieces, const std::string& what)
      : files_(files), file_(file), pieces_(pieces), what_(what) {
    temporary_ = directory_of(file) / ("." + file.filename().string() + ".tmp");
    for (const auto piece : pieces) size_ += static_cast<int64_t>(piece.size());
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    if (descriptor_ >= 0) files_.close(descriptor_);
    if (temporary_exists_) files_.unlink(temporary_);
  }

  /// The temporary is there, and the disk is asked to take it.
  void write() {
    create();
    files_.begin_sync(descriptor_);
  }
  /// The disk has it.
  void prove() {
    sync();
    read_back();
  }
  void rename() {
    if (const int result = files_.rename(temporary_, file_); result < 0) fail("rename", result);
    temporary_exists_ = false;
  }
  void sync_directory() {
    if (const int result = files_.sync_directory(directory_of(file_)); result < 0)
      fail("fsync of the directory", result);
  }

 private:
  void create() {
    // A leftover is never written over: its descriptor may have seen a failed fsync.
    if (const int result = files_.unlink(temporary_); result < 0 && result != -ENOENT) fail("unlink", result);
    descriptor_ = again([&] { return files_.create(temporary_); });
    if (descriptor_ < 0) fail("open", descriptor_);
    temporary_exists_ = true;
    for (std::span<const std::byte> piece : pieces_) {
      while (!piece.empty()) {
        const int64_t written = again([&] { return files_.write(descriptor_, piece); });
        if (written <= 0) fail("write", written < 0 ? static_cast<int>(written) : -EIO);
        piece = piece.subspan(static_cast<size_t>(written));
      }
    }
  }

  void sync() {
    if (const int result = files_.fsync(descriptor_); result < 0) fail("fsync", result);
    close("close");
  }

  void read_back() {
    descriptor_ = again([&] { return files_.open(temporary_); });
    if (descriptor_ < 0) fail("open to read back", descriptor_);
    constexpr int64_t kBlock = 1 << 14;  // in the nearest cache when it is compared, and few pages that are new
    std::vector<std::byte> block(static_cast<size_t>(std::clamp<int64_t>(size_, 1, kBlock)));
    for (std::span<const std::byte> piece : pieces_) {
      while (!piece.empty()) {
        const auto wanted = std::span(block).first(std::min(block.size(), piece.size()));
        const int64_t got = again([&] { return files_.read(descriptor_, wanted); });
        if (got < 0) fail("read back", static_cast<int>(got));
        if (got == 0 || std::memcmp(block.data(), piece.data(), static_cast<size_t>(got)) != 0) fail("read back", 0);
        piece = piece.subspan(static_cast<size_t>(got));
      }
    }
    const int64_t behind = again([&] { return files_.read(descriptor_, std::span(block).first(1)); });
    if (behind != 0) fail("read back", static_cast<int>(std::min<int64_t>(behind, 0)));
    close("close after reading back");
  }

  void close(const char* step) {
    const int result = files_.close(std::exchange(descriptor_, -1));
    // The descriptor is gone after EINTR as well, and the data was synced before.
    if (result < 0 && result != -EINTR) fail(step, result);
  }

  /// `result` is -errno, or 0 where the bytes read back differ from those written.
  [[noreturn]] void fail(const std::string& step, int result) const {
    std::string message = "cannot write the " + what_ + " `" + file_.string() + "`: " + step + " failed: ";
    message += result < 0 ? std::strerror(-result) : "the bytes on the disk are not those written";
    std::string help = "see `dmesg` for errors of the disk; what was saved before is untouched";
    if (result == -ENOSPC || result == -EDQUOT) {
      const int64_t free = files_.free_space(directory_of(file_));
      message += " (needs " + bytes_text(size_);
      message += free >= 0 ? ", " + bytes_text(free) + " free)" : ")";
      help = "free that much space or start runs on another disk; what was saved before is untouched";
    } else if (result == -EACCES || result == -EPERM || result == -EROFS) {
      help = "make `" + directory_of(file_).string() + "` writable; what was saved before is untouched";
    }
    throw Error("E0504", Exit::failed, message).help(help);
  }

  FileSystem& files_;
  Path file_, temporary_;
  Pieces pieces_;
  std::string what_;
  int64_t size_ = 0;
  int descriptor_ = -1;
  bool temporary_exists_ = false;
};

[[noreturn]] void cannot_make(const Path& directory, int result) {
  throw Error("E0504", Exit::failed,
              "cannot make the directory `" + directory.string() + "`: " + std::strerror(-result))
      .help("make the directory above it writable, or choose another place for the run");
}

}  // namespace

void write_durably(FileSystem& files, const Path& file, Pieces pieces, const std::string& what) {
  Attempt attempt(files, file, pieces, what);
  attempt.write();
  attempt.prove();
  attempt.rename();
  attempt.sync_directory();
}

void write_durably(FileSystem& files, const Path& file, std::string_view text, const std::string& what) {
  const std::array pieces = {std::as_bytes(std::span(text.data(), text.size()))};
  write_durably(files, file, pieces, what);
}

void write_durably(FileSystem& files, const Path& directory, std::span<const NamedText> texts,
                   const std::string& what) {
  std::vector<std::array<std::span<const std::byte>, 1>> pieces;
  for (const NamedText& each : texts) pieces.push_back({std::as_bytes(std::span(each.text))});
  std::list<Attempt> attempts;
  for (size_t i = 0; i < texts.size(); ++i)
    attempts.emplace_back(files, directory / texts[i].name, pieces[i], what).write();
  for (Attempt& attempt : attempts) attempt.prove();
  for (Attempt& attempt : attempts) attempt.rename();
  if (!attempts.empty()) attempts.back().sync_directory();
}

bool is_temporary(std::string_view name) { return name.size() > 5 && name.starts_with('.') && name.ends_with(".tmp"); }

void sweep_temporaries(FileSystem& files, const Path& directory) {
  std::vector<std::string> names;
  if (files.list(directory, names) < 0) return;
  for (const std::string& name : names)
    if (is_temporary(name)) files.unlink(directory / name);
}

void make_directories(FileSystem& files, const Path& directory) {
  int result = files.make_directory(directory);
  if (result == -ENOENT && directory.has_parent_path() && directory.parent_path() != directory) {
    make_directories(files, directory.parent_path());
    result = files.make_directory(directory);
  }
  if (result == -EEXIST) return;
  if (result < 0) cannot_make(directory, result);
  sync_parent(files, directory);
}

void sync_parent(FileSystem& files, const Path& directory) {
  if (const int synced = files.sync_directory(directory_of(directory)); synced < 0) cannot_make(directory, synced);
}

std::string bytes_text(int64_t bytes) {
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

}  // namespace spar::checkpoint
