// Places and processes for the tests of this folder.
#pragma once

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "core/base/error.hpp"

namespace spar::run {

/// A directory on the disk, gone with its contents at the end.
struct TemporaryDirectory {
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "spar-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void put(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// The exit status of `work` in a process of its own; 99 if it throws.
inline int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = work();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A predicate for BOOST_CHECK_EXCEPTION.
inline auto says(std::string code, std::string part) {
  return [code, part](const Error& error) {
    return error.code() == code && (error.what() + (" | " + error.help())).find(part) != std::string::npos;
  };
}

}  // namespace spar::run
