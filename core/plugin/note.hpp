// The JSON payload of a plugin's note as a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/plugin/refusal.hpp"

namespace spar::plugin {

/// "environment", "algorithm", "strategy", "backend"; "component" for a kind of a later ABI.
std::string_view kind_name(uint32_t kind);
/// SPAR_KIND_*, or 0 for a kind that this host does not know.
uint32_t kind_of(std::string_view name);

struct NoteComponent {
  uint32_t kind = 0;      ///< SPAR_KIND_*; 0: unknown to this host, listed and skipped
  std::string kind_name;  ///< as written in the note
  std::string id;
  bool operator==(const NoteComponent&) const = default;
};

struct Note {
  std::string id, version;
  std::vector<NoteComponent> components;
  std::vector<std::string> requires_services;  ///< services without which the plugin cannot work
};

/// Ids consist of letters, digits and . _ - / and have at most 255 characters, so nothing of a note can steer a
/// terminal. Unknown keys are ignored: a later minor may add some.
std::variant<Note, Refusal> parse_note(std::string_view json);

}  // namespace spar::plugin
