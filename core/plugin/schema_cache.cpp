#include "core/plugin/schema_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdlib>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/plugin/bounded_file.hpp"
#include "core/plugin/schema_json.hpp"
#include "spar/abi.h"

namespace spar::plugin {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr int kCacheFormat = 1;
constexpr uint64_t kMostBytes = 16 << 20;

uint32_t checksum(const json::object& entry) {
  const std::string text = json::serialize(entry);
  return crc32c(std::as_bytes(std::span(text)));
}

uint64_t unsigned_at(const json::object& object, const char* key) { return object.at(key).to_number<uint64_t>(); }

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

/// Temporary files of processes that were killed while they wrote.
void sweep(const fs::path& file) {
  std::error_code problem;
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::directory_iterator entry(file.parent_path(), problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (name.starts_with(file.filename().string() + ".") && name.ends_with(".tmp") &&
        entry->last_write_time(ignored) < hour_ago)
      fs::remove(entry->path(), ignored);
  }
}

}  // namespace

fs::path default_schema_cache() {
  const auto variable = [](const char* name) {
    const char* value = ::secure_getenv(name);
    return fs::path(value ? value : "");
  };
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "spar/schemas.json";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache/spar/schemas.json";
  return {};
}

SchemaCache::SchemaCache(fs::path file) : file_(std::move(file)) {
  try {
    read();
  } catch (...) {
    // Whatever is wrong with it: it is written anew.
  }
}

void SchemaCache::read() {
  if (file_.empty()) return;
  auto opened = open_trusted(file_);
  const auto* open = std::get_if<OpenFile>(&opened);
  if (!open || open->key.size > kMostBytes) return;
  std::string text(open->key.size, '\0');
  BoundedFile(open->descriptor.get(), open->key.size).read(0, text.data(), text.size(), "the schema cache");
  const json::value root = json::parse(text);
  const json::object& object = root.as_object();
  if (object.at("format").to_number<int>() != kCacheFormat || unsigned_at(object, "abi") != SPAR_ABI_VERSION) return;
  for (const auto& item : object.at("entries").as_array()) {
    try {
      json::object entry = item.as_object();
      const uint64_t crc = unsigned_at(entry, "crc32c");
      entry.erase("crc32c");
      if (checksum(entry) != crc) continue;
      Entry out;
      out.plugin = json::value_to<std::string>(entry.at("path"));
      out.key = {unsigned_at(entry, "device"), unsigned_at(entry, "inode"), unsigned_at(entry, "size"),
                 entry.at("mtime_ns").to_number<int64_t>()};
      out.build_id = json::value_to<std::string>(entry.at("build_id"));
      out.components = components_from_json(entry.at("components"));
      if (const auto* sum = entry.if_contains("sha256")) out.sha256 = json::value_to<std::string>(*sum);
      entries_.push_back(std::move(out));
    } catch (...) {
      // A damaged entry does not spoil its neighbours.
    }
  }
}

const SchemaCache::Entry* SchemaCache::entry(const fs::path& plugin, const FileKey& key,
                                             const std::string& build_id) const {
  for (const auto& entry : entries_)
    if (entry.key == key && entry.build_id == build_id && entry.plugin == plugin.string()) return &entry;
  return nullptr;
}

const std::vector<config::Component>* SchemaCache::find(const fs::path& plugin, const FileKey& key,
                                                        const std::string& build_id) const {
  const Entry* known = entry(plugin, key, build_id);
  return known ? &known->components : nullptr;
}

std::string SchemaCache::sha256(const fs::path& plugin, const FileKey& key, const std::string& build_id) const {
  const Entry* known = build_id.empty() ? nullptr : entry(plugin, key, build_id);
  return known ? known->sha256 : "";
}

bool SchemaCache::put_sha256(const fs::path& plugin, const FileKey& key, const std::string& build_id,
                             const std::string& sha256) {
  const Entry* known = build_id.empty() ? nullptr : entry(plugin, key, build_id);
  if (known) entries_[static_cast<size_t>(known - entries_.data())].sha256 = sha256;
  return known != nullptr;
}

void SchemaCache::put(const fs::path& plugin, const FileKey& key, const std::string& build_id,
                      std::vector<config::Component> components) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.plugin == plugin.string(); });
  entries_.push_back({plugin.string(), key, build_id, std::move(components)});
}

std::string SchemaCache::save() {
  if (file_.empty()) return "there is no cache directory (neither XDG_CACHE_HOME nor HOME is set)";
  std::error_code problem;
  std::erase_if(entries_, [&](const Entry& entry) { return !fs::exists(entry.plugin, problem); });
  json::array list;
  for (const auto& entry : entries_) {
    json::object object{{"path", entry.plugin},
                        {"device", entry.key.device},
                        {"inode", entry.key.inode},
                        {"size", entry.key.size},
                        {"mtime_ns", entry.key.mtime_ns},
                        {"build_id", entry.build_id},
                        {"components", components_to_json(entry.components)}};
    if (!entry.sha256.empty()) object["sha256"] = entry.sha256;
    object["crc32c"] = checksum(object);
    list.push_back(std::move(object));
  }
  const std::string text =
      json::serialize(json::object{{"format", kCacheFormat}, {"abi", SPAR_ABI_VERSION}, {"entries", std::move(list)}}) +
      "\n";

  const fs::path directory = file_.parent_path();
  fs::create_directories(directory.parent_path(), problem);
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return "cannot create " + directory.string() + " (" + system_text(errno) + ")";
  sweep(file_);
  std::string temporary = file_.string() + ".XXXXXX.tmp";
  const Descriptor descriptor(::mkostemps(temporary.data(), 4, O_CLOEXEC));
  if (descriptor.get() < 0) return "cannot write in " + directory.string() + " (" + system_text(errno) + ")";
  if (!write_all(descriptor.get(), text) || ::rename(temporary.c_str(), file_.c_str()) != 0) {
    const std::string reason = "cannot write " + file_.string() + " (" + system_text(errno) + ")";
    ::unlink(temporary.c_str());
    return reason;
  }
  return "";
}

}  // namespace spar::plugin
