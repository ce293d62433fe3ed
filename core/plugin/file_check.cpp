#include "core/plugin/file_check.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/base/text.hpp"

namespace spar::plugin {
namespace {

namespace fs = std::filesystem;

bool foreign(const struct stat& info) { return info.st_uid != 0 && info.st_uid != ::geteuid(); }

std::string_view type_name(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    case S_IFCHR:
    case S_IFBLK:
      return "a device";
    default:
      return "a special file";
  }
}

/// One directory of the way, or a link on it.
std::optional<Refusal> distrust_step(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0)
    return Refusal{"directory " + backquoted(path.string()) + " cannot be examined (" + system_text(errno) + ")",
                   "check that it exists and can be entered"};
  const std::string what = (S_ISLNK(info.st_mode) ? "link " : "directory ") + backquoted(path.string());
  if (foreign(info))
    return Refusal{what + " belongs to user " + std::to_string(info.st_uid) + ", neither root nor you",
                   "keep plugins in a directory of your own"};
  if (S_ISLNK(info.st_mode)) return std::nullopt;
  if (!S_ISDIR(info.st_mode))
    return Refusal{backquoted(path.string()) + " is not a directory", "name the directory that holds the plugins"};
  const bool sticky_of_root = (info.st_mode & S_ISVTX) != 0 && info.st_uid == 0;
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky_of_root)
    return Refusal{what + " is writable by " + ((info.st_mode & S_IWOTH) != 0 ? "everybody" : "its group"),
                   "chmod go-w " + printable(path.string())};
  return std::nullopt;
}

std::optional<Refusal> distrust_way(const fs::path& path) {
  fs::path step;
  for (const auto& part : path) {
    step /= part;
    if (part.empty()) continue;
    if (auto refusal = distrust_step(step)) return refusal;
  }
  return std::nullopt;
}

}  // namespace

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::variant<OpenFile, Refusal> open_trusted(const fs::path& path) {
  OpenFile file;
  file.descriptor = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (file.descriptor.get() < 0) {
    if (errno == ELOOP)
      return Refusal{"is a symbolic link",
                     "copy the plugin itself into the directory, or add its directory to the path"};
    if (errno == ENXIO) return Refusal{"is a socket or a device", "only regular files are plugins"};
    return Refusal{"cannot be opened (" + system_text(errno) + ")", "check its permissions"};
  }
  struct stat info {};
  if (::fstat(file.descriptor.get(), &info) != 0)
    return Refusal{"cannot be examined (" + system_text(errno) + ")", "check the file and its disk"};
  if (!S_ISREG(info.st_mode))
    return Refusal{"is " + std::string(type_name(info.st_mode)), "only regular files are plugins"};
  if (foreign(info))
    return Refusal{"belongs to user " + std::to_string(info.st_uid) + ", neither root nor you",
                   "copy it, so that it becomes yours"};
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Refusal{std::string("is writable by ") + ((info.st_mode & S_IWOTH) != 0 ? "everybody" : "its group"),
                   "chmod go-w " + printable(path.string())};
  if ((info.st_mode & (S_ISUID | S_ISGID)) != 0)
    return Refusal{"has a set-user-id or set-group-id bit", "chmod ug-s " + printable(path.string())};
  file.key = {info.st_dev, info.st_ino, static_cast<uint64_t>(info.st_size),
              int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
  return file;
}

std::optional<Refusal> distrust_directory(const fs::path& directory) {
  if (auto refusal = distrust_way(directory)) return refusal;
  std::error_code problem;
  const fs::path real = fs::canonical(directory, problem);
  if (problem)
    return Refusal{"directory " + backquoted(directory.string()) + " cannot be examined (" + problem.message() + ")",
                   "check that it exists and can be entered"};
  return real == directory ? std::nullopt : distrust_way(real);
}

}  // namespace spar::plugin
