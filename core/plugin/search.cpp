#include "core/plugin/search.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include "core/base/text.hpp"
#include "core/plugin/file_check.hpp"

namespace spar::plugin {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

void add(SearchPath& out, const std::string& element, const std::string& origin) {
  if (element.empty()) {
    out.skipped.push_back(
        {element, {origin + " has an empty element", "write absolute directories, separated by single colons"}});
  } else if (const fs::path path(element); !path.is_absolute()) {
    out.skipped.push_back({element,
                           {origin + " names `" + printable(element) +
                                "`, which is not absolute; the working directory is never searched",
                            "write it as an absolute directory"}});
  } else {
    fs::path directory = path.lexically_normal();
    if (!directory.has_filename() && directory.has_relative_path()) directory = directory.parent_path();
    out.directories.push_back({std::move(directory), origin});
  }
}

bool has_plugin_name(const std::string& name) {
  constexpr std::string_view kSuffix = ".spar.so";
  return name.size() > kSuffix.size() && name.ends_with(kSuffix);
}

}  // namespace

SearchSources search_sources(std::vector<std::string> command_line) {
  std::error_code ignored;
  return {std::move(command_line), environment("SPAR_PLUGIN_PATH"), environment("XDG_DATA_HOME"), environment("HOME"),
          fs::read_symlink("/proc/self/exe", ignored)};
}

SearchPath search_path(const SearchSources& sources) {
  SearchPath out;
  for (const auto& element : sources.command_line) add(out, element, "--plugin-path");
  for (size_t at = 0; !sources.environment.empty() && at <= sources.environment.size();) {
    const size_t end = std::min(sources.environment.find(':', at), sources.environment.size());
    add(out, sources.environment.substr(at, end - at), "SPAR_PLUGIN_PATH");
    at = end + 1;
  }
  // The XDG specification: a relative XDG_DATA_HOME is ignored.
  if (fs::path(sources.data_home).is_absolute()) {
    add(out, sources.data_home + "/spar/plugins", "user");
  } else if (fs::path(sources.home).is_absolute()) {
    add(out, sources.home + "/.local/share/spar/plugins", "user");
  }
  if (sources.executable.is_absolute())
    add(out, (sources.executable.parent_path() / "../lib/spar/plugins").string(), "built-in");
  return out;
}

Found find_plugin_files(const SearchPath& search) {
  Found out;
  std::set<fs::path> seen;
  for (const auto& [directory, origin] : search.directories) {
    std::error_code problem;
    const bool named = origin != "user" && origin != "built-in";
    if (fs::status(directory, problem).type() == fs::file_type::not_found) {
      if (named)
        out.skipped.push_back({directory,
                               {"directory `" + printable(directory.string()) + "` of " + origin + " does not exist",
                                "create it or leave it out"}});
      continue;
    }
    if (auto refusal = distrust_directory(directory)) {
      out.skipped.push_back({directory, *std::move(refusal)});
      continue;
    }
    if (!seen.insert(fs::canonical(directory, problem)).second) continue;
    std::vector<std::string> names;
    fs::directory_iterator entry(directory, problem);
    for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
      if (auto name = entry->path().filename().string(); has_plugin_name(name)) names.push_back(std::move(name));
    if (problem)
      out.skipped.push_back(
          {directory,
           {"directory `" + printable(directory.string()) + "` cannot be read (" + problem.message() + ")",
            "check its permissions"}});
    std::sort(names.begin(), names.end());
    if (names.size() > kMostFiles) {
      out.skipped.push_back(
          {directory,
           {"directory `" + printable(directory.string()) + "` holds " + std::to_string(names.size()) +
                " plugin files, only the first " + std::to_string(kMostFiles) + " are looked at",
            "spread them over several directories"}});
      names.resize(kMostFiles);
    }
    for (const auto& name : names) out.files.push_back({directory / name, origin});
  }
  return out;
}

}  // namespace spar::plugin
