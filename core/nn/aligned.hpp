// A vector of floats that starts on a cache line, for the kernels.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace spar::nn {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, size_t) { ::operator delete(p, kAlignment); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

using Floats = std::vector<float, AlignedAllocator<float>>;

}  // namespace spar::nn
