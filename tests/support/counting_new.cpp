// Replaces operator new of a whole test program by one that counts. In a file of its own: inlined into its callers, the
// compiler takes the pair of malloc and free for a mistake.
#include "support/counting_new.hpp"

#include <cstdlib>
#include <new>

namespace spar::test {
std::atomic<uint64_t> allocations{0};
}

void* operator new(std::size_t size) {
  ++spar::test::allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++spar::test::allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
