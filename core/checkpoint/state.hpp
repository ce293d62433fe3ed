// State of a part of the engine as one section of a checkpoint.
#pragma once

#include <string>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/checkpoint/container.hpp"

namespace spar::checkpoint {

inline constexpr uint32_t kState = 1;  ///< type of a section that holds state

/// The section `name` of what save(ByteWriter&) writes.
template <class Save>
Section state_section(std::string name, Save&& save) {
  ByteWriter writer;
  save(writer);
  return {std::move(name), kState, writer.take()};
}

/// load(ByteReader&) reads the whole section. Throws E0505 if there is none of that name, E0501 if bytes are missing or
/// left over.
template <class Load>
void read_state(const Checkpoint& checkpoint, const std::string& name, Load&& load) {
  ByteReader reader(checkpoint.section(name).data, name);
  load(reader);
  reader.end();
}

/// load(ByteReader&) reads the beginning of the section. Same errors, but for bytes that are left over.
template <class Load>
void read_beginning(const Checkpoint& checkpoint, const std::string& name, Load&& load) {
  ByteReader reader(checkpoint.section(name).data, name);
  load(reader);
}

}  // namespace spar::checkpoint
