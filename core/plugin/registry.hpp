// The plugins of this program: found once, described without being loaded, loaded when a component of theirs is used.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/schema.hpp"
#include "core/plugin/host_table.hpp"
#include "core/plugin/loader.hpp"
#include "core/plugin/plugin_file.hpp"
#include "core/plugin/schema_cache.hpp"
#include "core/plugin/search.hpp"

namespace spar::plugin {

struct RegistryOptions {
  /// What plugins get from init() on; must outlive the registry. Without it nothing can be loaded, and no plugin is
  /// refused for the services that it requires.
  const HostTable* host = nullptr;
  std::filesystem::path worker = default_worker();              ///< the scanner
  std::filesystem::path schema_cache = default_schema_cache();  ///< "": none
  std::chrono::milliseconds scan_limit{10'000};  ///< for one plugin; six times as long if it links LibTorch

  /// spar-worker beside the running program.
  static std::filesystem::path default_worker();
};

/// One component, found by name.
struct Match {
  const PluginFile* file;
  const NoteComponent* component;
};

/// For one thread. A process should load through one registry only: init() is a plugin's once-per-process call.
class Registry {
 public:
  /// Looks at every plugin file of the search path; never loads one, never throws for what is wrong with one. Two files
  /// that offer the same component are a conflict: the later is refused, and using that component is an error. The same
  /// build in two places is none: the first wins.
  static Registry scan(const SearchPath& search, RegistryOptions options = {});

  Registry(Registry&&) noexcept = default;
  ~Registry();

  const std::vector<PluginFile>& files() const { return files_; }
  /// What a person should know: skipped directories, a missing scanner, an unwritable cache. One sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Finds a component of a usable plugin by its id, by its short id (`dqn` for `org.spar.dqn`, `classic/CartPole-v1`
  /// or `CartPole-v1` for `org.spar.classic/CartPole-v1`), or by a unique prefix of one of these. Throws Error: E0110
  /// (unknown: the nearest id, and where plugins are looked for), E0111 (ambiguous: the candidates), E0112 (two files
  /// offer it), E0101 (only a refused file offers it).
  Match find(uint32_t kind, std::string_view name) const;

  /// Parameters of a component, from the cache or from a scanner process; the reference stays valid. Throws what find()
  /// throws, and E0101 if the plugin does not survive its scan. Without a scanner the plugin is loaded into this
  /// process.
  const config::Component& schema(uint32_t kind, std::string_view name);

  /// Reads the schemas of all usable plugins, so that files() shows which ones do not survive their scan.
  void read_schemas();

  /// What is known of the components of one of files(); nullptr if its schemas were not read or it is refused.
  const std::vector<config::Component>* schemas_of(const PluginFile& file) const;

  /// Loads the plugin of a component (once), calls its init() (once) and returns the component. Throws what schema()
  /// and LoadedPlugin throw.
  const spar_component& load(uint32_t kind, std::string_view name);

  /// SHA-256 of the file of a plugin, in hexadecimal: from the cache, or of its bytes. Throws Error E0709.
  std::string sha256(const PluginFile& file);

  /// Calls deinit() of every initialised plugin, the last one first. After the last instance is destroyed. Code and
  /// data of the plugins stay in memory.
  void shutdown();

 private:
  struct Conflict {
    uint32_t kind;
    std::string id;
    std::filesystem::path first, second;
  };

  explicit Registry(RegistryOptions options);
  void add(PluginFile file);
  bool worker_is_there();
  bool read_schemas(size_t index);
  void save_cache();
  size_t index_of(const PluginFile& file) const { return static_cast<size_t>(&file - files_.data()); }
  LoadedPlugin& loaded(size_t index);
  [[noreturn]] void unknown(uint32_t kind, std::string_view name) const;

  RegistryOptions options_;
  SchemaCache cache_;
  std::vector<std::string> directories_, notes_;
  std::vector<Conflict> conflicts_;
  // The same index in all three.
  std::vector<PluginFile> files_;
  std::vector<std::optional<std::vector<config::Component>>> schemas_;
  std::vector<std::unique_ptr<LoadedPlugin>> loaded_;
  std::vector<size_t> initialised_;  ///< in order
};

}  // namespace spar::plugin
