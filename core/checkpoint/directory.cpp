#include "core/checkpoint/directory.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <new>

#include "core/base/error.hpp"
#include "core/checkpoint/durable_file.hpp"

namespace spar::checkpoint {
namespace {

constexpr std::string_view kExtension = ".ckpt";
constexpr const char* kBest = "best.ckpt";
constexpr size_t kDigits = 9;

class OpenFile {
 public:
  OpenFile(FileSystem& files, const FileSystem::Path& file) : files_(files), file_(file) {
    do descriptor_ = files_.open(file);
    while (descriptor_ == -EINTR);
    if (descriptor_ < 0) fail(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { files_.close(descriptor_); }

  uint64_t size() const {
    const int64_t result = files_.size(descriptor_);
    if (result < 0) fail(static_cast<int>(result));
    return static_cast<uint64_t>(result);
  }

  /// Fewer bytes than `into` only where the file ends.
  size_t read(std::span<std::byte> into) const {
    size_t done = 0;
    while (done < into.size()) {
      const int64_t got = files_.read(descriptor_, into.subspan(done));
      if (got == -EINTR) continue;
      if (got < 0) fail(static_cast<int>(got));
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

 private:
  [[noreturn]] void fail(int result) const {
    throw Error("E0503", Exit::failed, "cannot read the checkpoint `" + file_.string() + "`: " + std::strerror(-result))
        .help("check that the run is complete and that you may read it");
  }

  FileSystem& files_;
  FileSystem::Path file_;
  int descriptor_ = -1;
};

}  // namespace

std::optional<uint64_t> step_of(std::string_view name) {
  if (!name.ends_with(kExtension)) return {};
  name.remove_suffix(kExtension.size());
  if (name.size() < kDigits || (name.size() > kDigits && name[0] == '0')) return {};
  uint64_t step = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (problem != std::errc() || end != name.data() + name.size()) return {};
  return step;
}

Checkpoint read_checkpoint(FileSystem& files, const FileSystem::Path& file) {
  const OpenFile open(files, file);
  const uint64_t size = open.size();
  std::vector<std::byte> bytes(kHeaderSize);
  bytes.resize(open.read(bytes));
  check_header(bytes, size, file.string());
  bytes.resize(size);
  bytes.resize(kHeaderSize + open.read(std::span(bytes).subspan(kHeaderSize)));
  return decode(bytes, file.string());
}

Directory::Directory(FileSystem& files, FileSystem::Path path, unsigned keep_last)
    : files_(files), path_(std::move(path)), keep_last_(std::max(1u, keep_last)) {}

std::string Directory::name(uint64_t step) const {
  const std::string digits = std::to_string(step);
  return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits + std::string(kExtension);
}

std::vector<uint64_t> Directory::steps() const {
  std::vector<std::string> names;
  std::vector<uint64_t> found;
  if (files_.list(path_, names) < 0) return found;
  for (const std::string& each : names)
    if (const auto step = step_of(each)) found.push_back(*step);
  std::sort(found.begin(), found.end());
  return found;
}

void Directory::prepare() {
  make_directories(files_, path_);
  sweep_temporaries(files_, path_);
}

FileSystem::Path Directory::write_as(const std::string& as, const Checkpoint& checkpoint) {
  const Encoded encoded(checkpoint);
  write_durably(files_, path_ / as, encoded.pieces(), "checkpoint");
  return path_ / as;
}

FileSystem::Path Directory::write(const Checkpoint& checkpoint) {
  FileSystem::Path file = write_as(name(checkpoint.step), checkpoint);
  prune(checkpoint.step);
  return file;
}

FileSystem::Path Directory::write_best(const Checkpoint& checkpoint) { return write_as(kBest, checkpoint); }

/// The file just written counts among the `keep_last`, so a proven one always stays. Files of later steps are damaged
/// leftovers, or this run would have gone on from there: they are not counted and stay as evidence.
void Directory::prune(uint64_t written) {
  std::vector<uint64_t> older = steps();
  std::erase_if(older, [written](uint64_t step) { return step > written; });
  if (older.size() <= keep_last_) return;
  older.resize(older.size() - keep_last_);
  // A file that cannot be deleted now is tried again after the next write.
  for (const uint64_t step : older) files_.unlink(path_ / name(step));
}

Loaded Directory::newest_valid() const {
  Loaded loaded;
  const auto load = [&](const std::string& file_name, std::optional<uint64_t> expected) {
    loaded.file = path_ / file_name;
    try {
      loaded.checkpoint = read_checkpoint(files_, loaded.file);
      if (!expected || loaded.checkpoint.step == *expected) return true;
      loaded.refused.push_back({loaded.file.string(), "the file is named after step " + std::to_string(*expected) +
                                                          " and holds step " + std::to_string(loaded.checkpoint.step)});
    } catch (const Error& error) {
      loaded.refused.push_back({loaded.file.string(), error.what()});
    } catch (const std::bad_alloc&) {
      loaded.refused.push_back({loaded.file.string(), "it does not fit the memory"});
    }
    return false;
  };

  const std::vector<uint64_t> numbers = steps();
  for (auto step = numbers.rbegin(); step != numbers.rend(); ++step)
    if (load(name(*step), *step)) return loaded;
  std::vector<std::string> names;
  const int listed = files_.list(path_, names);
  if (std::find(names.begin(), names.end(), kBest) != names.end() && load(kBest, {})) return loaded;

  std::string message = "no usable checkpoint in `" + path_.string() + "`";
  if (listed < 0) message += std::string(": ") + std::strerror(-listed);
  for (const Refused& refused : loaded.refused) message += "; " + refused.reason;
  throw Error("E0503", Exit::failed, message)
      .help("nothing was started from scratch: restore a checkpoint from a copy, or train a new run");
}

Checkpoint Directory::best() const { return read_checkpoint(files_, path_ / kBest); }

}  // namespace spar::checkpoint
