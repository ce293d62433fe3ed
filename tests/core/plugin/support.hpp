// Directories, fixture plugins and damaged copies of them.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/plugin/registry.hpp"
#include "support/files.hpp"

namespace spar::plugin::test {

namespace fs = std::filesystem;

/// A fresh directory that nobody else may write, removed at the end.
class Directory {
 public:
  Directory() { ::umask(022); }

  const fs::path& path() const { return place_.path(); }
  fs::path operator/(const std::string& name) const { return place_ / name; }

  /// Writes a file of mode 0644.
  fs::path write(const std::string& name, std::string_view bytes) const { return place_.write(name, bytes); }
  /// Copies a fixture plugin, as NAME.spar.so or under another file name.
  fs::path plugin(const std::string& name, const std::string& as = "") const {
    const fs::path file = place_ / (as.empty() ? name + ".spar.so" : as);
    fs::copy_file(fs::path(SPAR_BUILD_DIR "/tests/bad_plugins") / (name + ".spar.so"), file,
                  fs::copy_options::overwrite_existing);
    return file;
  }

  SearchPath search() const { return {{{path(), "--plugin-path"}}, {}}; }

 private:
  ::spar::test::TemporaryDirectory place_;
};

inline std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string fixture_bytes(const std::string& name) {
  return read_file(fs::path(SPAR_BUILD_DIR "/tests/bad_plugins") / (name + ".spar.so"));
}

/// The ELF structures inside a plugin's bytes.
template <class T>
T& at(std::string& bytes, uint64_t offset) {
  return *reinterpret_cast<T*>(bytes.data() + offset);
}
inline Elf64_Ehdr& header(std::string& bytes) { return at<Elf64_Ehdr>(bytes, 0); }
inline Elf64_Phdr& segment(std::string& bytes, uint32_t type) {
  for (int i = 0; i < header(bytes).e_phnum; ++i) {
    auto& found = at<Elf64_Phdr>(bytes, header(bytes).e_phoff + static_cast<uint64_t>(i) * sizeof(Elf64_Phdr));
    if (found.p_type == type) return found;
  }
  throw std::runtime_error("no such segment");
}
inline Elf64_Dyn& dynamic(std::string& bytes, int64_t tag) {
  const auto& all = segment(bytes, PT_DYNAMIC);
  for (uint64_t i = 0; i < all.p_filesz / sizeof(Elf64_Dyn); ++i) {
    auto& found = at<Elf64_Dyn>(bytes, all.p_offset + i * sizeof(Elf64_Dyn));
    if (found.d_tag == tag) return found;
  }
  throw std::runtime_error("no such dynamic entry");
}

/// Options that keep everything inside `directory`.
inline RegistryOptions options(const Directory& directory, const HostTable* host = nullptr) {
  RegistryOptions out;
  out.host = host;
  out.worker = SPAR_BUILD_DIR "/bin/spar-worker";
  out.schema_cache = directory / "cache/schemas.json";
  return out;
}

inline const PluginFile& file_named(const Registry& registry, const std::string& name) {
  for (const auto& file : registry.files())
    if (file.path.filename() == name) return file;
  throw std::runtime_error("the registry does not list " + name);
}

/// The error that `call` throws.
template <class F>
spar::Error caught(F&& call) {
  try {
    call();
  } catch (const spar::Error& error) {
    return error;
  }
  throw std::runtime_error("no error was thrown");
}

}  // namespace spar::plugin::test
