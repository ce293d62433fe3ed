#include "core/config/layers.hpp"

#include <filesystem>
#include <limits>

#include "core/base/text.hpp"
#include "core/config/assignment.hpp"
#include "core/config/presets.hpp"
#include "core/config/toml.hpp"

namespace spar::config {
namespace {

const std::string* text_of(const Table& table, std::string_view key) {
  const Entry* entry = table.find(key);
  return entry ? std::get_if<std::string>(&entry->value.data) : nullptr;
}

Table* algorithm_of(Table& root) {
  Entry* entry = root.find("algorithm");
  return entry ? std::get_if<Table>(&entry->value.data) : nullptr;
}

std::vector<Table*> group_tables(Table& root) {
  std::vector<Table*> out;
  Entry* entry = root.find("group");
  if (auto* groups = entry ? std::get_if<Array>(&entry->value.data) : nullptr)
    for (Value& group : *groups)
      if (auto* table = std::get_if<Table>(&group.data)) out.push_back(table);
  return out;
}

/// Groups without an algorithm have that of [algorithm].
void set_device(Table& root, const std::string& device) {
  const auto groups = group_tables(root);
  if (groups.empty() || algorithm_of(root)) assign(root, "algorithm.device=" + device);
  for (Table* group : groups)
    if (algorithm_of(*group)) assign(*group, "algorithm.device=" + device);
}

bool is_file(const std::string& experiment) {
  return experiment.ends_with(".toml") || experiment.find('/') != std::string::npos;
}

void set_seed(Table& root, uint64_t seed) {
  Value value{static_cast<int64_t>(seed), {"command line", 0, 0, 1, "", ""}, {Layer::command_line, "", 0}};
  if (Entry* existing = root.find("seed"))
    existing->value = std::move(value);
  else
    root.entries.push_back({"seed", value.place, std::move(value)});
}

/// NAME-ALGORITHM if there is such a preset, else NAME.
PresetInfo find_algorithm_preset(const std::string& directory, const std::string& name, const std::string* id) {
  if (id)
    for (const auto& preset : list_presets(directory))
      if (preset.name == name + "-" + short_id(*id)) return preset;
  return find_preset(directory, name);
}

/// Null for an unknown id, which is reported where the section is read.
std::shared_ptr<const Component> find_chosen(const Table& algorithm, const std::string& id,
                                             const ComponentLookup& lookup) {
  try {
    return lookup(SPAR_KIND_ALGO, id, algorithm.find("id")->value.place);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

std::vector<Table*> algorithm_tables(Table& root) {
  std::vector<Table*> out = {algorithm_of(root)};
  for (Table* group : group_tables(root)) out.push_back(algorithm_of(*group));
  std::erase(out, nullptr);
  return out;
}

Layers read_layers(const Sources& sources, Problems& problems) {
  Layers out;
  if (is_file(sources.experiment)) {
    out.file = sources.experiment;
    out.stem = std::filesystem::path(out.file).stem().string();
    out.root = parse_toml_file(out.file, {Layer::file, out.file, 0});
  } else if (!sources.experiment.empty()) {
    const PresetInfo preset = find_preset(sources.preset_directory, sources.experiment);
    out.file = preset.path;
    out.stem = preset.name;
    out.root = parse_toml_file(preset.path, {Layer::preset, preset.name, 0});
  }
  if (!sources.device.empty()) set_device(out.root, sources.device);
  for (const auto& argument : sources.assignments) {
    try {
      assign(out.root, argument);
    } catch (const Error& error) {
      problems.add(error);
    }
  }
  if (sources.seed) {
    if (*sources.seed > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      problems.add(Error("E0205", Exit::usage, "`seed` must be below 2^63, found " + std::to_string(*sources.seed)));
    else
      set_seed(out.root, *sources.seed);
  }
  return out;
}

void apply_algorithm_preset(Table& algorithm, const std::string& directory, const ComponentLookup& lookup,
                            Problems& problems) {
  const std::string* name = text_of(algorithm, "preset");
  if (!name) return;
  const Place place = algorithm.find("preset")->value.place;
  try {
    const std::string* id = text_of(algorithm, "id");
    const auto chosen = id ? find_chosen(algorithm, *id, lookup) : nullptr;
    if (id && !chosen) return;
    const PresetInfo preset = find_algorithm_preset(directory, *name, id);
    Table below = parse_toml_file(preset.path, {Layer::preset, preset.name, 0});
    Table* options = algorithm_of(below);
    const std::string* for_id = options ? text_of(*options, "id") : nullptr;
    if (!for_id) throw Error("E0211", Exit::usage, "preset `" + preset.name + "` chooses no algorithm").at(place);
    if (options->find("preset"))
      throw Error("E0211", Exit::usage, "preset `" + preset.name + "` builds on another one: presets do not nest")
          .at(place);
    if (chosen) {
      const auto meant = lookup(SPAR_KIND_ALGO, *for_id, options->find("id")->value.place);
      if (chosen->id != meant->id)
        throw Error("E0211", Exit::usage,
                    "preset `" + preset.name + "` is for algorithm `" + short_id(meant->id) + "`, not `" +
                        short_id(chosen->id) + "`")
            .at(place);
    }
    for (auto& entry : options->entries)
      if (!algorithm.find(entry.key)) algorithm.entries.push_back(std::move(entry));
  } catch (const Error& error) {
    // An unknown preset has no place of its own: it is where it was named.
    Error placed = error;
    if (!error.place()) placed = Error(error).at(place);
    problems.add(std::move(placed));
  }
}

}  // namespace spar::config
