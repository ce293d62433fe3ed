#include "core/replay/sum_tree.hpp"

#include <algorithm>

#include "core/base/target.hpp"

namespace spar::replay {

namespace {

constexpr unsigned kCached = 8;  ///< levels from the root that every cache holds

/// All items go down from their node by `levels`; position becomes what is left of it below the leaf reached. The two
/// forms compute the same numbers: the product keeps scalar code free of branches, half of which would be mispredicted;
/// the choice is what the compiler turns into wide instructions where they exist.
///
/// What lies three levels below a node is one cache line, asked for three levels before it is read.
template <bool kWide>
__attribute__((always_inline)) inline void descend(const double* __restrict nodes, unsigned levels, size_t n,
                                                   double* __restrict position, uint64_t* __restrict path) {
  for (unsigned level = 0; level < levels; ++level) {
    if (level + 3 <= levels && level >= kCached)
      for (size_t i = 0; i < n; ++i) __builtin_prefetch(nodes + 8 * path[i]);
    for (size_t i = 0; i < n; ++i) {
      const double left = nodes[2 * path[i]];
      if constexpr (kWide) {
        const bool right = position[i] >= left;
        position[i] -= right ? left : 0.0;
        path[i] = 2 * path[i] + (right ? 1 : 0);
      } else {
        const int right = position[i] >= left;
        position[i] -= left * right;
        path[i] = 2 * path[i] + static_cast<uint64_t>(right);
      }
    }
  }
}

using Descend = void (*)(const double*, unsigned, size_t, double*, uint64_t*);

void descend_any(const double* nodes, unsigned levels, size_t n, double* position, uint64_t* path) {
  descend<false>(nodes, levels, n, position, path);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void descend_avx2(const double* nodes, unsigned levels, size_t n, double* position,
                                                  uint64_t* path) {
  descend<true>(nodes, levels, n, position, path);
}
SPAR_TARGET_512("avx512f,avx512vl,avx512dq")
void descend_avx512(const double* nodes, unsigned levels, size_t n, double* position, uint64_t* path) {
  descend<true>(nodes, levels, n, position, path);
}

Descend widest() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return descend_avx512;
  return __builtin_cpu_supports("avx2") ? descend_avx2 : descend_any;
}
#else
Descend widest() { return descend_any; }
#endif

}  // namespace

SumTree::SumTree(uint64_t leaves) : leaves_(leaves) {
  while (first_ < leaves) {
    first_ *= 2;
    ++depth_;
  }
  nodes_ = AlignedBytes(static_cast<size_t>(2 * first_) * sizeof(double));
  std::fill_n(nodes(), 2 * first_, 0.0);
}

void SumTree::set(std::span<const uint64_t> leaf, std::span<const double> mass) {
  if (path_.size() < leaf.size()) path_.resize(leaf.size());
  double* const node = nodes();
  for (size_t i = 0; i < leaf.size(); ++i) {
    path_[i] = first_ + leaf[i];
    node[path_[i]] = mass[i];
  }
  size_t n = leaf.size();
  /// To the ancestors `up` levels above. Neighbours with one ancestor go on as one: samples and new rows come in order,
  /// so the upper levels cost little.
  const auto climb = [&](unsigned up) {
    size_t kept = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t ancestor = path_[i] >> up;
      kept += ancestor != before;
      path_[kept - 1] = before = ancestor;
    }
    n = kept;
  };
  // Three levels at once: all eight nodes below an ancestor are in one cache line. What has not changed is computed to
  // the same sum again.
  unsigned level = 0;
  for (; level + 3 <= depth_; level += 3) {
    climb(3);
    for (size_t i = 0; i < n; ++i) {
      const uint64_t p = path_[i];
      const double* below = node + 8 * p;
      const double a = below[0] + below[1], b = below[2] + below[3], c = below[4] + below[5], d = below[6] + below[7];
      double* four = node + 4 * p;
      four[0] = a;
      four[1] = b;
      four[2] = c;
      four[3] = d;
      node[2 * p] = a + b;
      node[2 * p + 1] = c + d;
      node[p] = (a + b) + (c + d);
    }
  }
  for (; level < depth_; ++level) {
    climb(1);
    for (size_t i = 0; i < n; ++i) node[path_[i]] = node[2 * path_[i]] + node[2 * path_[i] + 1];
  }
}

void SumTree::find(std::span<double> position, std::span<uint64_t> leaf) const {
  for (uint64_t& node : leaf) node = 1;
  widest()(nodes(), depth_, leaf.size(), position.data(), leaf.data());
  for (uint64_t& node : leaf) {
    if (!(nodes()[node] > 0)) node = nearest_with_mass(node);
    node -= first_;
  }
}

uint64_t SumTree::nearest_with_mass(uint64_t node) const {
  while (!(nodes()[node] > 0)) node /= 2;  // the root has mass
  while (node < first_) node = 2 * node + (nodes()[2 * node + 1] > 0 ? 1 : 0);
  return node;
}

}  // namespace spar::replay
