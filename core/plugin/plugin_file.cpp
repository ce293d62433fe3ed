#include "core/plugin/plugin_file.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/plugin/elf_note.hpp"
#include "spar/abi.h"

namespace spar::plugin {
namespace {

/// Unwraps a result or refuses the file.
template <class T>
T* accept(std::variant<T, Refusal>& result, PluginFile& file) {
  if (auto* refusal = std::get_if<Refusal>(&result)) {
    file.refuse(*refusal);
    return nullptr;
  }
  return &std::get<T>(result);
}

void check_abi(PluginFile& file) {
  const uint32_t major = file.abi >> 16;
  if (major == SPAR_ABI_MAJOR) return;
  file.refuse({"is built for plugin ABI " + abi_text(file.abi) + ", this program speaks " + abi_text(SPAR_ABI_VERSION),
               major > SPAR_ABI_MAJOR ? "install a newer spar, or build the plugin with this version's SDK"
                                      : "build the plugin with this version's SDK"});
}

void check_services(PluginFile& file, std::span<const std::string> services) {
  std::vector<std::string> missing;
  for (const auto& id : file.requires_services)
    if (std::find(services.begin(), services.end(), id) == services.end()) missing.push_back("`" + id + "`");
  if (missing.empty()) return;
  file.refuse({std::string("requires the service") + (missing.size() > 1 ? "s " : " ") + listing(missing) +
                   ", which this program does not offer",
               "install a newer spar, or an older version of the plugin"});
}

}  // namespace

void PluginFile::refuse(const Refusal& refusal) {
  status = Status::refused;
  reason = printable(refusal.reason);
  remedy = printable(refusal.remedy);
}

std::string abi_text(uint32_t abi) { return std::to_string(abi >> 16) + "." + std::to_string(abi & 0xffff); }

PluginFile inspect(const std::filesystem::path& path, std::string origin,
                   std::optional<std::span<const std::string>> services) {
  PluginFile file;
  file.path = path;
  file.origin = std::move(origin);

  auto opened = open_trusted(path);
  const OpenFile* open = accept(opened, file);
  if (!open) return file;
  file.key = open->key;

  auto elf_result = read_elf_note(open->descriptor.get(), open->key.size);
  ElfNote* elf = accept(elf_result, file);
  if (!elf) return file;
  file.abi = elf->abi_version;
  file.build_id = elf->build_id;
  file.needed = elf->needed;

  // Another major may write its note in another way: its version is all that is read.
  check_abi(file);
  if (file.status != Status::usable) return file;

  auto note_result = parse_note(elf->json);
  Note* note = accept(note_result, file);
  if (!note) return file;
  file.id = note->id;
  file.version = note->version;
  file.components = std::move(note->components);
  file.requires_services = std::move(note->requires_services);

  if (services) check_services(file, *services);
  return file;
}

Refusal refusal_of(const Error& error, const PluginFile& file) {
  std::string reason = error.what();
  // Errors begin with the plugin's name, refusals continue after it.
  const std::string name = "plugin " + printable(file.path.string()) + " ";
  if (reason.starts_with(name)) reason.erase(0, name.size());
  return {std::move(reason), error.help()};
}

}  // namespace spar::plugin
