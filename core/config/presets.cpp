#include "core/config/presets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace spar::config {
namespace {

std::string title_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  if (!line.starts_with('#')) return "";
  const size_t start = line.find_first_not_of("# \t");
  return start == std::string::npos ? "" : printable(line.substr(start));
}

std::vector<std::string> names(const std::vector<PresetInfo>& presets) {
  std::vector<std::string> out;
  for (const auto& preset : presets) out.push_back(preset.name);
  return out;
}

}  // namespace

std::vector<PresetInfo> list_presets(const std::string& directory) {
  std::vector<PresetInfo> out;
  std::error_code code;
  for (const auto& file : std::filesystem::directory_iterator(directory, code))
    if (file.path().extension() == ".toml" && file.is_regular_file(code))
      out.push_back({file.path().stem().string(), title_of(file.path()), file.path().string()});
  std::ranges::sort(out, {}, &PresetInfo::name);
  return out;
}

PresetInfo find_preset(const std::string& directory, std::string_view name) {
  // A name in full needs no look at all the others.
  const auto file = std::filesystem::path(directory) / (std::string(name) + ".toml");
  std::error_code problem;
  if (!name.empty() && name.find('/') == std::string_view::npos && std::filesystem::is_regular_file(file, problem))
    return {std::string(name), title_of(file), file.string()};
  const auto all = list_presets(directory);
  std::vector<PresetInfo> matches;
  for (const auto& preset : all) {
    if (preset.name == name) return preset;
    if (!name.empty() && preset.name.starts_with(name)) matches.push_back(preset);
  }
  if (matches.size() == 1) return matches.front();
  const std::string quoted = "`" + printable(name) + "`";
  if (!matches.empty())
    throw Error("E0207", Exit::usage, quoted + " is the beginning of several presets")
        .help("write one of " + listing(names(matches), "or"));
  const std::string near = nearest(name, names(all));
  std::string help = all.empty() ? "there are no presets in `" + printable(directory) + "`"
                                 : "presets: " + listing(names(all)) + "; a file ends in .toml";
  if (!near.empty()) help = "did you mean `" + near + "`? " + help;
  throw Error("E0207", Exit::usage, "there is no preset " + quoted).help(help);
}

}  // namespace spar::config
