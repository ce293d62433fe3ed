// Where plugins are looked for, and the files that are found there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/plugin/refusal.hpp"

namespace spar::plugin {

struct SearchDirectory {
  std::filesystem::path path;
  std::string origin;  ///< "--plugin-path", "SPAR_PLUGIN_PATH", "user" or "built-in"
};

/// Something that was left out of a search, and why.
struct Skipped {
  std::filesystem::path path;
  Refusal refusal;
};

struct SearchPath {
  std::vector<SearchDirectory> directories;  ///< in the order of search
  std::vector<Skipped> skipped;              ///< elements that are empty or not absolute
};

/// What the search path is made of; tests fill it by hand.
struct SearchSources {
  std::vector<std::string> command_line;  ///< each --plugin-path
  std::string environment;                ///< SPAR_PLUGIN_PATH, separated by colons
  std::string data_home, home;            ///< XDG_DATA_HOME, HOME
  std::filesystem::path executable;       ///< the running program
};

/// Reads the environment with secure_getenv, so that a set-user-id program does not listen to its caller.
SearchSources search_sources(std::vector<std::string> command_line = {});

/// Directories in order: command line, SPAR_PLUGIN_PATH, $XDG_DATA_HOME/spar/plugins (else
/// ~/.local/share/spar/plugins), <directory of the program>/../lib/spar/plugins. Only absolute ones: never the working
/// directory.
SearchPath search_path(const SearchSources& sources);

struct FoundFile {
  std::filesystem::path path;
  std::string origin;
};

struct Found {
  std::vector<FoundFile> files;  ///< by directory, then by name
  std::vector<Skipped> skipped;  ///< directories that are not trusted, or are not there although they were asked for
};

/// The files named *.spar.so of each directory; other names are ignored, and so are missing directories that nobody
/// named. At most kMostFiles per directory, the rest is reported.
Found find_plugin_files(const SearchPath& search);

inline constexpr size_t kMostFiles = 1000;

}  // namespace spar::plugin
