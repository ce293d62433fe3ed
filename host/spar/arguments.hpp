// What was typed, parsed: the verb, the options that every verb knows, and those of this one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spar::host {

struct Verb;

enum class Color { automatic, always, never };

struct Arguments {
  const Verb* verb = nullptr;
  std::vector<std::string> positional;         ///< behind the verb
  std::map<std::string, std::string> options;  ///< of the verb, by long name; a flag has an empty text
  std::vector<std::string> all;                ///< as typed, for the manifest

  std::string directory;  ///< -C; "" = stay
  bool quiet = false, verbose = false, json = false, dry_run = false, help = false, version = false;
  Color color = Color::automatic;
  std::vector<std::string> plugin_paths;
  std::optional<uint64_t> seed;
  uint32_t threads = 1;
  std::string device;  ///< "" = as configured

  bool has(const std::string& option) const { return options.contains(option); }
  std::string get(const std::string& option, const std::string& fallback = "") const {
    const auto found = options.find(option);
    return found == options.end() ? fallback : found->second;
  }
};

/// Parses all arguments behind the program's name. Without a verb, `verb` is that of `help`. Throws Error: E0401
/// (unknown verb), E0402 (unknown option), E0403 (a wrong or missing value) or E0404 (not offered yet).
Arguments parse_arguments(const std::vector<std::string>& words);

/// Is colour or JSON wished for? Answers also where parse_arguments() threw.
Color color_wish(const std::vector<std::string>& words);
bool json_wish(const std::vector<std::string>& words);

/// A whole number >= 0. Throws E0403 naming `option`.
uint64_t whole_number(const std::string& option, const std::string& text);

/// The usage of one verb, or of the program if `verb` is null.
std::string help_text(const Verb* verb);

}  // namespace spar::host
