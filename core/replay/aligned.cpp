#include "core/replay/aligned.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

namespace spar::replay {

namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t physical_memory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

AlignedBytes::AlignedBytes(size_t size) : size_(size) {
  // The system may promise more than there is, and end the program when the promise is called in.
  if (size > physical_memory()) throw std::bad_alloc();
  const size_t unit = size >= 4 * kHugePage ? kHugePage : kCacheLine;
  bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, round_up(size > 0 ? size : 1, unit))));
  if (bytes_ == nullptr) throw std::bad_alloc();
  // Rows are read at random: with small pages each read of a large ring misses the address cache. Only advice, so that
  // it does not matter if the kernel declines.
  if (unit == kHugePage) static_cast<void>(madvise(bytes_.get(), round_up(size, unit), MADV_HUGEPAGE));
}

void AlignedBytes::Free::operator()(std::byte* bytes) const noexcept { std::free(bytes); }

}  // namespace spar::replay
