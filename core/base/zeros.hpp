// Memory that is zero and is not touched before it is used.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spar {

/// Zeros from the start of a cache line on. Pages of a block of 16 to 64 kB cost nothing before they are used: a
/// network keeps room for every slot and every row, and at its start a run touches little of it. Throws std::bad_alloc.
void* take_zeros(size_t bytes);
void give_back_zeros(void* block, size_t bytes);
/// Bytes of blocks that did not come from the allocator, which does not count them: see allocated_memory().
uint64_t mapped_zeros();

}  // namespace spar
