// What the machine has left, and what this process uses.
#pragma once

#include <cstdint>

namespace spar {

/// Bytes that programs can still get: what the machine has left, or the control group if that is less.
uint64_t free_memory();
/// Bytes of memory that this process has in use, now and at most so far; 0 where the system does not say.
uint64_t memory_in_use();
uint64_t most_memory_in_use();

}  // namespace spar
