#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <thread>

#include "core/base/memory.hpp"
#include "core/base/text.hpp"
#include "core/config/presets.hpp"
#include "core/nn/tier.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

struct Finding {
  std::string name, text;
  bool fault = false;
};

std::string kernels() {
  std::vector<std::string> available;
  for (const auto& [tier, name] :
       {std::pair{nn::Tier::baseline, "baseline"}, {nn::Tier::avx2, "avx2"}, {nn::Tier::avx512, "avx512"}})
    if (nn::tier_available(tier)) available.emplace_back(name);
  return std::string(nn::active_tier()) + " in use; available: " + listing(available);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? std::string(name) + "=" + printable(value) : std::string(name) + " not set";
}

void look_at_plugins(const Arguments& arguments, std::vector<Finding>& out) {
  const auto path = plugin::search_path(plugin::search_sources(arguments.plugin_paths));
  for (const auto& directory : path.directories) {
    std::error_code problem;
    const bool there = std::filesystem::is_directory(directory.path, problem);
    out.push_back({"plugins from", directory.path.string() + " (" + directory.origin + (there ? ")" : ", not there)")});
  }
  Engine engine(arguments);
  engine.registry().read_schemas();
  const auto& files = engine.registry().files();
  const auto count = [&](plugin::Status status) {
    return std::to_string(std::ranges::count(files, status, &plugin::PluginFile::status));
  };
  out.push_back({"plugins",
                 count(plugin::Status::usable) + " usable, " + count(plugin::Status::refused) + " refused, " +
                     count(plugin::Status::shadowed) + " shadowed",
                 std::ranges::none_of(files, [](const auto& file) { return file.status == plugin::Status::usable; })});
  for (const auto& file : files)
    if (file.status == plugin::Status::refused)
      out.push_back(
          {"refused", printable(file.path.string() + ": it " + file.reason + " (" + file.remedy + ")"), true});
  std::vector<std::string> backends;
  for (const auto& file : files)
    for (const auto& component : file.components)
      if (file.status == plugin::Status::usable && component.kind == SPAR_KIND_BACKEND)
        backends.push_back(config::short_id(component.id));
  out.push_back({"backends", backends.empty() ? "none but the host's own kernels"
                                              : listing(backends) + ", loaded when a run asks for it"});
  for (const auto& note : engine.registry().notes()) out.push_back({"note", note, true});
  const auto worker = plugin::RegistryOptions::default_worker();
  const bool scanner = ::access(worker.c_str(), X_OK) == 0;
  out.push_back({"scanner", worker.string() + (scanner ? "" : ", missing: install spar again"), !scanner});
  const auto cache = plugin::default_schema_cache();
  out.push_back({"cache", cache.empty() ? "none: neither XDG_CACHE_HOME nor HOME is set" : cache.string()});
}

std::vector<Finding> examine(const Arguments& arguments, const Terminal& terminal) {
  std::vector<Finding> out;
  utsname system{};
  ::uname(&system);
  out.push_back({"spar", std::string(SPAR_VERSION) + ", plugin ABI " + plugin::abi_text(SPAR_ABI_VERSION)});
  out.push_back({"system", std::string(system.sysname) + " " + system.release + " " + system.machine});
  try {
    out.push_back({"kernels", kernels()});
  } catch (const Error& error) {
    out.push_back({"kernels", error.what(), true});
  }
  out.push_back(
      {"threads", std::to_string(std::thread::hardware_concurrency()) +
                      " on this machine; a run uses one to train, or as many as --threads says, and one that mostly "
                      "sleeps to write checkpoints; gradient workers beyond that wait their turn"});
  out.push_back({"memory", bytes_text(free_memory()) + " free"});
  out.push_back({"disk", bytes_text(free_disk("runs")) + " free for ./runs"});
  look_at_plugins(arguments, out);
  const auto presets = config::list_presets(preset_directory());
  out.push_back({"presets", std::to_string(presets.size()) + " in " + preset_directory(), presets.empty()});
  out.push_back({"terminal", variable("TERM") + ", " + variable("NO_COLOR") + ", " + variable("CLICOLOR_FORCE") + ", " +
                                 std::to_string(terminal_width()) + " columns, live panel " +
                                 (terminal.panel ? "yes" : "no")});
  return out;
}

}  // namespace

int run_doctor(const Arguments& arguments, const Terminal& terminal) {
  if (!arguments.positional.empty())
    throw Error("E0403", Exit::usage,
                "`spar doctor` takes no words, found `" + printable(arguments.positional[0]) + "`")
        .help("write: spar doctor");
  const auto findings = examine(arguments, terminal);
  for (const auto& finding : findings) {
    if (arguments.json)
      print_json({{"event", "finding"}, {"name", finding.name}, {"text", finding.text}, {"fault", finding.fault}});
    else
      print((finding.fault ? paint(terminal.color_out, "1;31", "! ") : "  ") + padded(finding.name, 14) + finding.text +
            "\n");
  }
  return 0;
}

}  // namespace spar::host
