// For tests that a loop allocates nothing: link support/counting_new.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace spar::test {

extern std::atomic<uint64_t> allocations;  ///< calls of operator new in this program

}  // namespace spar::test
