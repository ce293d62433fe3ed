// What a plugin file says of itself, read without loading it: the ELF headers that decide whether dlopen would survive,
// the libraries it needs, and the note of owner SPAR (sdk/include/spar/abi/plugin.h).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/plugin/refusal.hpp"

namespace spar::plugin {

struct ElfNote {
  uint32_t abi_version = 0;         ///< major << 16 | minor of the SDK that built the plugin
  std::string json;                 ///< payload of the note
  std::vector<std::string> needed;  ///< DT_NEEDED, in order
  std::string build_id;             ///< hexadecimal; empty if the linker wrote none
  bool static_tls = false;          ///< DF_STATIC_TLS: loading it late may fail for want of room
};

/// Reads a shared library of this machine from `fd`, which has `size` bytes. Never maps, never executes, allocates at
/// most about 2 MiB whatever the file claims. Refused: anything but a 64-bit little-endian ET_DYN file of the host's
/// machine, segments or section headers outside the file (mapping a half-copied file ends in SIGBUS), DT_RPATH and
/// DT_RUNPATH (they would choose libraries for the host), text relocations, no or several notes.
std::variant<ElfNote, Refusal> read_elf_note(int fd, uint64_t size);

}  // namespace spar::plugin
