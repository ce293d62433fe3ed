// A binary tree of sums over non-negative masses, for drawing items in proportion to their mass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/replay/aligned.hpp"

namespace spar::replay {

/// Each inner node is computed from its two children whenever one changes, never by adding a difference: the sums do
/// not drift and depend only on the leaves. Whole batches walk the tree level by level, so that the memory accesses of
/// one level overlap.
class SumTree {
 public:
  explicit SumTree(uint64_t leaves);

  uint64_t leaves() const { return leaves_; }
  double total() const { return nodes()[1]; }
  double at(uint64_t leaf) const { return nodes()[first_ + leaf]; }
  /// Node of the tree, 1 the root, 2i and 2i+1 the children of i.
  double node(uint64_t i) const { return nodes()[i]; }

  /// mass[i] becomes that of leaf[i]; of a leaf named twice the last counts. Masses are finite and >= 0.
  void set(std::span<const uint64_t> leaf, std::span<const double> mass);

  /// leaf[i] = the leaf whose interval [sum before it, sum with it) holds position[i]; positions are used up. A leaf
  /// without mass is never found, not by a rounded position at or past the total either. Precondition: total() > 0.
  void find(std::span<double> position, std::span<uint64_t> leaf) const;

  size_t bytes() const { return nodes_.size(); }

 private:
  /// The rightmost leaf with mass below the closest ancestor that has any: where rounding ended on an empty leaf.
  uint64_t nearest_with_mass(uint64_t node) const;

  double* nodes() { return reinterpret_cast<double*>(nodes_.data()); }
  const double* nodes() const { return reinterpret_cast<const double*>(nodes_.data()); }

  uint64_t leaves_;
  uint64_t first_ = 1;  ///< node of leaf 0: the leaves rounded up to a power of two
  unsigned depth_ = 0;
  AlignedBytes nodes_;          ///< doubles; the eight nodes that are three levels below one share a cache line
  std::vector<uint64_t> path_;  ///< scratch of set()
};

}  // namespace spar::replay
