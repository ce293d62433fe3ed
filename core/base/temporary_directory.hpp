// A place for files that nobody keeps.
#pragma once

#include <filesystem>
#include <string>

namespace spar {

/// Removed with all its files when it goes out of scope; only its user may look inside.
class TemporaryDirectory {
 public:
  /// NAME-XXXXXX in the system's directory for temporary files. Throws E0604.
  explicit TemporaryDirectory(const std::string& name);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace spar
