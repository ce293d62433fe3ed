// One file of the plugin directories, as far as it is known without loading it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/plugin/file_check.hpp"
#include "core/plugin/note.hpp"

namespace spar::plugin {

enum class Status {
  usable,
  refused,  ///< see reason and remedy
  shadowed  ///< the same build was already found in an earlier directory
};

struct PluginFile {
  std::filesystem::path path;
  std::string origin;  ///< which part of the search path it comes from
  std::string id, version;
  uint32_t abi = 0;  ///< major << 16 | minor; 0 if the note could not be read
  std::vector<NoteComponent> components;
  std::vector<std::string> requires_services, needed;
  std::string build_id;
  FileKey key;
  Status status = Status::usable;
  std::string reason, remedy;

  void refuse(const Refusal& refusal);
};

/// "1.2"
std::string abi_text(uint32_t abi);

/// Opens, checks and reads; never loads, never throws for what is wrong with the file. `services` are the ids that this
/// host offers, or nothing to leave that check out. Refused, beside what file_check.hpp and elf_note.hpp refuse:
/// another ABI major, and required services that are not offered.
PluginFile inspect(const std::filesystem::path& path, std::string origin,
                   std::optional<std::span<const std::string>> services);

/// What an error about the file says, as a refusal of it.
Refusal refusal_of(const Error& error, const PluginFile& file);

}  // namespace spar::plugin
