// What the machine has left, and what this process uses.
#pragma once

#include <cstdint>

namespace spar {

/// Bytes that programs can still get: what the machine has left, or the control group if that is less.
uint64_t free_memory();
/// Bytes of memory that this process has in use, now and at most so far; 0 where the system does not say.
uint64_t memory_in_use();
uint64_t most_memory_in_use();
/// Bytes that this process has allocated and not freed; 0 where the allocator does not say. What a plugin allocates is
/// known in no other way: the difference over a call is what the call keeps, and what other threads did meanwhile.
uint64_t allocated_memory();
/// What was allocated since it was `before`; 0 if less is allocated now.
uint64_t allocated_since(uint64_t before);

}  // namespace spar
