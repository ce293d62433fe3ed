// Schemas of plugins that were scanned before. A convenience: a cache that is missing, damaged or another user's is
// an empty one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/config/schema.hpp"
#include "core/plugin/file_check.hpp"

namespace spar::plugin {

/// $XDG_CACHE_HOME/spar/schemas.json, else ~/.cache/spar/schemas.json; empty if neither is absolute.
std::filesystem::path default_schema_cache();

class SchemaCache {
 public:
  /// Reads `file`; an empty path is a cache that keeps nothing. Each entry carries a checksum, damaged ones are left
  /// out. Never throws.
  explicit SchemaCache(std::filesystem::path file);

  /// The schemas of exactly this state of this file, or nullptr.
  const std::vector<config::Component>* find(const std::filesystem::path& plugin, const FileKey& key,
                                             const std::string& build_id) const;
  void put(const std::filesystem::path& plugin, const FileKey& key, const std::string& build_id,
           std::vector<config::Component> components);

  /// The SHA-256 of exactly this state of this file, "" if it is not known. Only of files with a build id, which the
  /// linker makes of what it wrote: times and sizes alone do not vouch for every byte.
  std::string sha256(const std::filesystem::path& plugin, const FileKey& key, const std::string& build_id) const;
  /// Is it remembered now? Only beside schemas.
  bool put_sha256(const std::filesystem::path& plugin, const FileKey& key, const std::string& build_id,
                  const std::string& sha256);

  /// Replaces the file in one step, without the entries of plugins that are gone. Returns why that failed, or "".
  std::string save();

 private:
  struct Entry {
    std::string plugin;
    FileKey key;
    std::string build_id;
    std::vector<config::Component> components;
    std::string sha256{};  ///< of the file; "": not known
  };

  void read();
  const Entry* entry(const std::filesystem::path& plugin, const FileKey& key, const std::string& build_id) const;

  std::filesystem::path file_;
  std::vector<Entry> entries_;
};

}  // namespace spar::plugin
