// Places and processes for the tests of this folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/error.hpp"
#include "support/child.hpp"
#include "support/files.hpp"

namespace spar::run {

using test::TemporaryDirectory;

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void put(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

using test::in_child;

/// A predicate for BOOST_CHECK_EXCEPTION.
inline auto says(std::string code, std::string part) {
  return [code, part](const Error& error) {
    return error.code() == code && (error.what() + (" | " + error.help())).find(part) != std::string::npos;
  };
}

}  // namespace spar::run
