#include "core/base/temporary_directory.hpp"

#include <stdlib.h>

#include <cerrno>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace spar {

TemporaryDirectory::TemporaryDirectory(const std::string& name) {
  std::string pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  if (!::mkdtemp(pattern.data()))
    throw Error("E0604", Exit::failed, "cannot make a directory `" + pattern + "`: " + system_text(errno))
        .help("TMPDIR names the directory for temporary files");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace spar
