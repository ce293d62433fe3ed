// A vector of floats that starts on a cache line, for the kernels.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "core/base/zeros.hpp"

namespace spar::nn {

/// The memory is zero when it is taken, so that a vector `(n)` is made of n zeros without touching them. Such a vector
/// is never resized: what a smaller one left behind would be no zeros.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(size_t n) { return static_cast<T*>(take_zeros(n * sizeof(T))); }
  void deallocate(T* p, size_t n) { give_back_zeros(p, n * sizeof(T)); }
  template <class U>
  void construct(U*) noexcept {}
  template <class U, class Value>
  void construct(U* place, const Value& value) {
    ::new (static_cast<void*>(place)) U(value);
  }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

using Floats = std::vector<float, AlignedAllocator<float>>;

}  // namespace spar::nn
