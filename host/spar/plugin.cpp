#include <algorithm>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/config/explain.hpp"
#include "core/config/options.hpp"
#include "core/plugin/names.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

using plugin::PluginFile;
using plugin::Status;

std::string status_name(Status status) {
  if (status == Status::usable) return "usable";
  return status == Status::refused ? "refused" : "shadowed";
}

boost::json::object to_json(const PluginFile& file) {
  boost::json::array components;
  for (const auto& component : file.components)
    components.push_back({{"kind", component.kind_name}, {"id", component.id}});
  boost::json::object out{{"event", "plugin"},
                          {"path", file.path.string()},
                          {"origin", file.origin},
                          {"id", file.id},
                          {"version", file.version},
                          {"abi", file.abi == 0 ? "" : plugin::abi_text(file.abi)},
                          {"status", status_name(file.status)},
                          {"components", std::move(components)}};
  if (!file.reason.empty()) out["reason"] = file.reason;
  if (!file.remedy.empty()) out["remedy"] = file.remedy;
  return out;
}

/// Files that cannot be used, with the reason.
void print_refused(const std::vector<PluginFile>& files, const Terminal& terminal) {
  for (const auto& file : files) {
    if (file.status == Status::usable) continue;
    const bool refused = file.status == Status::refused;
    print(paint(terminal.color_out, refused ? "31" : "2", status_name(file.status)) + "  " +
          printable(file.path.string()) + "\n    it " + printable(file.reason) + "\n");
    if (!file.remedy.empty()) print("    = " + printable(file.remedy) + "\n");
  }
}

/// What the usable files offer, by kind.
void print_components(const std::vector<PluginFile>& files, const Terminal& terminal) {
  size_t short_width = 0, width = 0;
  for (const auto& file : files)
    for (const auto& component : file.components) {
      short_width = std::max(short_width, config::short_id(component.id).size() + 2);
      width = std::max(width, component.id.size() + 2);
    }
  std::string previous;
  for (const char* kind : {"algorithm", "environment", "strategy", "backend"})
    for (const auto& file : files)
      for (const auto& component : file.components) {
        if (file.status != Status::usable || component.kind_name != kind) continue;
        if (previous != kind) print(paint(terminal.color_out, "1", kind) + "\n");
        previous = kind;
        print("  " + padded(config::short_id(component.id), short_width) + padded(component.id, width) +
              paint(terminal.color_out, "2", file.version) + "\n");
      }
}

int list_plugins(const Arguments& arguments, const Terminal& terminal) {
  Engine engine(arguments);
  const bool all = arguments.has("all");
  // Which plugins do not survive being loaded is found out only where the answer is shown.
  if (all) engine.registry().read_schemas();
  const auto& files = engine.registry().files();
  if (arguments.json) {
    for (const auto& file : files)
      if (all || file.status == Status::usable) print_json(to_json(file));
    return 0;
  }
  print_components(files, terminal);
  const auto refused = std::ranges::count(files, Status::refused, &PluginFile::status);
  if (all)
    print_refused(files, terminal);
  else if (refused > 0)
    print(std::to_string(refused) + (refused == 1 ? " file is" : " files are") +
          " refused: `spar plugin list --all` tells why\n");
  if (files.empty()) print("no plugins are found: `spar doctor` shows where they are looked for\n");
  if (!arguments.quiet)
    for (const auto& note : engine.registry().notes())
      print_error(paint(terminal.color_err, "1;33", "warning") + ": " + note + "\n");
  return 0;
}

/// The file that has this id, or that offers this component.
const PluginFile& file_named(const plugin::Registry& registry, const std::string& name) {
  std::vector<std::string> ids;
  for (const auto& file : registry.files()) ids.push_back(file.id);
  const auto found = plugin::resolve(name, ids);
  for (const auto& file : registry.files())
    if (found.size() == 1 && file.id == found[0] && file.status != Status::shadowed) return file;
  std::optional<Error> first;
  for (const uint32_t kind : {SPAR_KIND_ALGO, SPAR_KIND_ENV, SPAR_KIND_STRATEGY, SPAR_KIND_BACKEND}) {
    try {
      return *registry.find(kind, name).file;
    } catch (const Error& error) {
      if (error.code() != "E0110") throw;
    }
  }
  std::vector<std::string> known;
  for (const auto& file : registry.files()) {
    known.push_back(config::short_id(file.id));
    for (const auto& component : file.components) known.push_back(config::short_id(component.id));
  }
  const std::string near = nearest(name, known);
  throw Error("E0207", Exit::usage, "no plugin and no component `" + printable(name) + "` is known")
      .help((near.empty() ? "" : "did you mean `" + near + "`? ") + "`spar plugin list --all` shows all files");
}

int show_plugin(const std::string& name, const Arguments& arguments, const Terminal& terminal) {
  Engine engine(arguments);
  const std::filesystem::path path = file_named(engine.registry(), name).path;
  engine.registry().read_schemas();
  const auto& file = *std::ranges::find(engine.registry().files(), path, &PluginFile::path);
  if (arguments.json) {
    print_json(to_json(file));
    return 0;
  }
  print(padded("plugin", 12) + file.id + " " + file.version + "\n" + padded("file", 12) + file.path.string() + " (" +
        file.origin + ")\n" + padded("abi", 12) + (file.abi == 0 ? "-" : plugin::abi_text(file.abi)) + "\n" +
        padded("status", 12) + status_name(file.status) + "\n" + padded("build id", 12) + file.build_id + "\n");
  if (!file.requires_services.empty()) print(padded("needs", 12) + listing(file.requires_services) + "\n");
  if (file.status != Status::usable) {
    print_refused({file}, terminal);
    return 0;
  }
  for (const auto& component : file.components)
    if (component.kind != 0)
      print("\n" + config::explain_component(engine.registry().schema(component.kind, component.id)));
  return 0;
}

}  // namespace

int run_plugin(const Arguments& arguments, const Terminal& terminal) {
  const auto& words = arguments.positional;
  const std::string word = words.empty() ? "list" : words[0];
  if (word == "list" && words.size() <= 1) return list_plugins(arguments, terminal);
  if (word == "info" && words.size() == 2) return show_plugin(words[1], arguments, terminal);
  if (word == "test" || word == "trust")
    throw Error("E0404", Exit::usage, "`spar plugin " + word + "` is not offered yet")
        .help("offered: spar plugin list, spar plugin info ID");
  throw Error("E0401", Exit::usage, "`spar plugin` does not know `" + printable(word) + "` like this")
      .help("write: spar plugin list, or spar plugin info ID");
}

}  // namespace spar::host
