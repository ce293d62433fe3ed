// A binary tree of sums over non-negative masses, for drawing items in proportion to their mass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/replay/aligned.hpp"

namespace spar::replay {

/// Each inner node is computed from its two children whenever one changes, never by adding a difference: the sums do
/// not drift and depend only on the leaves. Only every third level from the leaves up is stored: the eight nodes three
/// levels below a node are one cache line, and the six between them are computed from it where they are needed. Whole
/// batches walk the tree line by line, so that the memory accesses of one level overlap.
class SumTree {
 public:
  explicit SumTree(uint64_t leaves);

  uint64_t leaves() const { return leaves_; }
  double total() const { return node(1); }
  double at(uint64_t leaf) const { return levels_.back()[leaf]; }
  /// Node of the tree, 1 the root, 2i and 2i+1 the children of i.
  double node(uint64_t i) const;

  /// mass[i] becomes that of leaf[i]; of a leaf named twice the last counts. Masses are finite and >= 0.
  void set(std::span<const uint64_t> leaf, std::span<const double> mass);

  /// leaf[i] = the leaf whose interval [sum before it, sum with it) holds position[i], which becomes its mass. A leaf
  /// without mass is never found, not by a rounded position at or past the total either. Precondition: total() > 0.
  void find(std::span<double> position, std::span<uint64_t> leaf) const;

  size_t bytes() const { return nodes_.size(); }

 private:
  /// The rightmost leaf with mass below the closest ancestor that has any: where rounding ended on an empty leaf.
  uint64_t nearest_with_mass(uint64_t leaf) const;

  uint64_t leaves_;
  unsigned depth_ = 1;           ///< levels below the root
  AlignedBytes nodes_;           ///< doubles: the stored levels, one behind the other
  std::vector<double*> levels_;  ///< where each begins: 1 to 3 levels below the root, then three more each, the leaves
  std::vector<uint64_t> path_;   ///< scratch of set()
};

}  // namespace spar::replay
