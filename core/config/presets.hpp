// Presets: experiments that come with spar. A preset is a file NAME.toml; its first line is a comment, the title.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spar::config {

struct PresetInfo {
  std::string name, title, path;
};

/// All presets of a directory by name. A directory that is not there has none; a preset without a title has "".
std::vector<PresetInfo> list_presets(const std::string& directory);

/// A preset by name or unique prefix. Throws Error E0207 with the nearest names if there is none, or with the
/// candidates if there are several.
PresetInfo find_preset(const std::string& directory, std::string_view name);

}  // namespace spar::config
