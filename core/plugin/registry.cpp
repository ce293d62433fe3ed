#include "core/plugin/registry.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/plugin/descriptor.hpp"
#include "core/plugin/libtorch.hpp"
#include "core/plugin/names.hpp"
#include "core/plugin/scan.hpp"

namespace spar::plugin {
namespace {

/// Ids of one kind in the files of one status. Kinds that this host does not know have no number and no names.
std::vector<std::string> ids_of(const std::vector<PluginFile>& files, uint32_t kind, Status status) {
  std::vector<std::string> out;
  for (const auto& file : files)
    for (const auto& component : file.components)
      if (kind != 0 && file.status == status && component.kind == kind) out.push_back(component.id);
  return out;
}

std::string file_sha256(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("E0709", Exit::plugin, "cannot read the plugin " + path.string() + " to note its checksum");
  Sha256 hash;
  std::array<char, 16384> block;
  while (in.read(block.data(), block.size()) || in.gcount() > 0) {
    hash.update(std::as_bytes(std::span(block.data(), static_cast<size_t>(in.gcount()))));
  }
  return hash.hex();
}

std::vector<std::string> quoted_all(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const auto& text : texts) out.push_back(backquoted(text));
  return out;
}

}  // namespace

std::filesystem::path RegistryOptions::default_worker() {
  std::error_code problem;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", problem);
  return problem ? std::filesystem::path() : program.parent_path() / "spar-worker";
}

Registry::Registry(RegistryOptions options) : options_(std::move(options)), cache_(options_.schema_cache) {}

Registry::~Registry() { shutdown(); }

Registry Registry::scan(const SearchPath& search, RegistryOptions options) {
  Registry registry(std::move(options));
  for (const auto& directory : search.directories) registry.directories_.push_back(printable(directory.path.string()));
  std::vector<std::string> services;
  if (registry.options_.host) services = registry.options_.host->services();

  Found found = find_plugin_files(search);
  const auto note = [&registry](const std::vector<Skipped>& skipped) {
    for (const auto& item : skipped)
      registry.notes_.push_back(printable(item.refusal.reason + " (skipped): " + item.refusal.remedy));
  };
  note(search.skipped);
  note(found.skipped);
  for (auto& file : found.files)
    registry.add(registry.options_.host ? inspect(file.path, std::move(file.origin), services)
                                        : inspect(file.path, std::move(file.origin), std::nullopt));
  registry.schemas_.resize(registry.files_.size());
  registry.loaded_.resize(registry.files_.size());
  return registry;
}

void Registry::add(PluginFile file) {
  for (const auto& other : files_) {
    if (file.status != Status::usable) break;
    if (other.status != Status::usable) continue;
    if (!file.build_id.empty() && file.build_id == other.build_id && file.components == other.components) {
      file.status = Status::shadowed;
      file.reason = "is the same build as " + backquoted(other.path.string());
      break;
    }
    for (const auto& component : file.components) {
      if (std::find(other.components.begin(), other.components.end(), component) == other.components.end()) continue;
      conflicts_.push_back({component.kind, component.id, other.path, file.path});
      if (file.status == Status::usable)
        file.refuse({"offers the " + component.kind_name + " `" + component.id + "`, which " +
                         backquoted(other.path.string()) + " offers too",
                     "remove one of the two files"});
    }
  }
  files_.push_back(std::move(file));
}

Match Registry::find(uint32_t kind, std::string_view name) const {
  const std::string what = std::string(kind_name(kind)) + " ";
  const auto ids = resolve(name, ids_of(files_, kind, Status::usable));
  if (ids.size() > 1)
    throw Error("E0111", Exit::usage,
                what + backquoted(name) + " is ambiguous: it could be " + listing(quoted_all(ids), "or"))
        .help("write one of them in full");
  if (ids.empty()) unknown(kind, name);
  for (const auto& conflict : conflicts_)
    if (conflict.kind == kind && conflict.id == ids[0])
      throw Error("E0112", Exit::plugin,
                  what + "`" + conflict.id + "` is offered by two plugins: " + backquoted(conflict.first.string()) +
                      " and " + backquoted(conflict.second.string()))
          .help("remove one of the two files");
  for (const auto& file : files_)
    for (const auto& component : file.components)
      if (file.status == Status::usable && component.kind == kind && component.id == ids[0]) return {&file, &component};
  unknown(kind, name);
}

void Registry::unknown(uint32_t kind, std::string_view name) const {
  const std::string what(kind_name(kind));
  const auto refused = resolve(name, ids_of(files_, kind, Status::refused));
  for (const auto& file : files_)
    for (const auto& component : file.components)
      if (refused.size() == 1 && file.status == Status::refused && component.kind == kind && component.id == refused[0])
        throw Error("E0101", Exit::plugin,
                    what + " `" + component.id + "` belongs to plugin " + printable(file.path.string()) +
                        ", which is refused: it " + file.reason)
            .help(file.remedy);

  std::vector<std::string> known;
  for (const auto& id : ids_of(files_, kind, Status::usable))
    for (auto& form : names_of(id)) known.push_back(std::move(form));
  const std::string near = nearest(name, known);
  std::string sentence = "no " + what + " " + backquoted(name) + " is known";
  if (!near.empty()) {
    sentence += "; the nearest is `" + near + "`";
  } else if (known.empty()) {
    sentence += "; no plugin offers any " + what;
  }
  throw Error("E0110", Exit::usage, sentence)
      .help("plugins are looked for in " + (directories_.empty() ? "no directory" : listing(directories_)) +
            "; `spar plugin list` shows what they offer");
}

bool Registry::worker_is_there() {
  if (::access(options_.worker.c_str(), X_OK) == 0) return true;
  const std::string note = "the scanner " + backquoted(options_.worker.string()) +
                           " is missing: plugins are described by loading them into this process; install spar again";
  if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  return false;
}

/// True if the cache has something new. Afterwards the file has schemas or is refused.
bool Registry::read_schemas(size_t index) {
  PluginFile& file = files_[index];
  if (schemas_[index]) return false;
  if (const auto* cached = cache_.find(file.path, file.key, file.build_id)) {
    schemas_[index] = *cached;
    return false;
  }
  if (!worker_is_there()) {
    schemas_[index] = loaded(index).components();
    return false;
  }
  // LibTorch alone takes seconds to load from a cold disk.
  const auto limit = needs_libtorch(file.needed) ? 6 * options_.scan_limit : options_.scan_limit;
  auto result = scan_in_child(options_.worker, file, limit);
  if (auto* refusal = std::get_if<Refusal>(&result)) {
    file.refuse(*refusal);
    return false;
  }
  schemas_[index] = std::move(std::get<0>(result));
  cache_.put(file.path, file.key, file.build_id, *schemas_[index]);
  return true;
}

void Registry::save_cache() {
  if (const std::string problem = cache_.save(); !problem.empty()) {
    const std::string note =
        printable("schemas are not remembered: " + problem + "; the next start scans the plugins again");
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }
}

void Registry::read_schemas() {
  bool changed = false;
  const bool scanner = worker_is_there();
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].status != Status::usable) continue;
    // Without a scanner a listing does not run foreign code: only what is cached is shown.
    if (!scanner && !cache_.find(files_[i].path, files_[i].key, files_[i].build_id)) continue;
    changed |= read_schemas(i);
  }
  if (changed) save_cache();
}

const config::Component& Registry::schema(uint32_t kind, std::string_view name) {
  const Match match = find(kind, name);
  const size_t index = index_of(*match.file);
  if (read_schemas(index)) save_cache();
  if (!schemas_[index]) unknown(kind, match.component->id);
  for (const auto& component : *schemas_[index])
    if (component.kind == kind && component.id == match.component->id) return component;
  unknown(kind, match.component->id);
}

const std::vector<config::Component>* Registry::schemas_of(const PluginFile& file) const {
  const auto& schemas = schemas_[index_of(file)];
  return schemas ? &*schemas : nullptr;
}

LoadedPlugin& Registry::loaded(size_t index) {
  if (!loaded_[index]) loaded_[index] = std::make_unique<LoadedPlugin>(files_[index]);
  return *loaded_[index];
}

const spar_component& Registry::load(uint32_t kind, std::string_view name) {
  const config::Component& described = schema(kind, name);
  if (!options_.host)
    throw Error("E0125", Exit::plugin, "component `" + described.id + "` cannot be loaded: this program offers no host")
        .help("give RegistryOptions::host");
  const size_t index = index_of(*find(kind, described.id).file);
  LoadedPlugin& plugin = loaded(index);
  if (std::find(initialised_.begin(), initialised_.end(), index) == initialised_.end()) {
    plugin.init(*options_.host->host());
    initialised_.push_back(index);
  }
  return *find_component(plugin.descriptor(), kind, described.id);
}

std::string Registry::sha256(const PluginFile& file) {
  if (std::string known = cache_.sha256(file.path, file.key, file.build_id); !known.empty()) return known;
  std::string sum = file_sha256(file.path);
  if (cache_.put_sha256(file.path, file.key, file.build_id, sum)) save_cache();
  return sum;
}

void Registry::shutdown() {
  for (; !initialised_.empty(); initialised_.pop_back()) loaded_[initialised_.back()]->deinit();
}

}  // namespace spar::plugin
