#include "core/base/zeros.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define SPAR_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPAR_SANITIZED
#endif
#endif

namespace spar {
namespace {

constexpr size_t kPage = 4096, kLine = 64;
constexpr std::align_val_t kAligned{kLine};

std::atomic<uint64_t> mapped_now{0};

/// Blocks that the kernel maps one by one, and whose pages are not touched. Not the large ones: what a run says before
/// its start that it needs is what was allocated, and much of that left untouched would make it wrong. A sanitizer
/// watches only what operator new gave.
constexpr bool mapped([[maybe_unused]] size_t bytes) {
#if defined(SPAR_SANITIZED)
  return false;
#else
  return bytes >= 4 * kPage && bytes <= 16 * kPage;
#endif
}

/// Where a block begins in its first page: vectors that are read together must not all begin in the same lines of the
/// first cache.
size_t colour(const void* pages) {
  const uint64_t number = reinterpret_cast<uintptr_t>(pages) / kPage;
  return kLine * ((number * 0x9e3779b97f4a7c15U) >> 58);
}

}  // namespace

void* take_zeros(size_t bytes) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  if (!mapped(bytes)) return std::memset(::operator new(bytes, kAligned), 0, bytes);
  void* pages = ::mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  mapped_now.fetch_add(bytes, std::memory_order_relaxed);
  return static_cast<std::byte*>(pages) + colour(pages);
}

void give_back_zeros(void* block, size_t bytes) {
  if (!mapped(bytes)) return ::operator delete(block, kAligned);
  mapped_now.fetch_sub(bytes, std::memory_order_relaxed);
  ::munmap(static_cast<std::byte*>(block) - reinterpret_cast<uintptr_t>(block) % kPage, bytes + kPage);
}

uint64_t mapped_zeros() { return mapped_now.load(std::memory_order_relaxed); }

}  // namespace spar
