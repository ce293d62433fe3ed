#include "core/replay/sum_tree.hpp"

namespace spar::replay {

SumTree::SumTree(uint64_t leaves) : leaves_(leaves) {
  while (first_ < leaves) {
    first_ *= 2;
    ++depth_;
  }
  nodes_.assign(static_cast<size_t>(2 * first_), 0.0);
}

void SumTree::set(std::span<const uint64_t> leaf, std::span<const double> mass) {
  if (path_.size() < leaf.size()) path_.resize(leaf.size());
  for (size_t i = 0; i < leaf.size(); ++i) {
    path_[i] = first_ + leaf[i];
    nodes_[path_[i]] = mass[i];
  }
  for (unsigned level = 0; level < depth_; ++level)
    for (size_t i = 0; i < leaf.size(); ++i) {
      const uint64_t parent = path_[i] >>= 1;
      nodes_[parent] = nodes_[2 * parent] + nodes_[2 * parent + 1];
    }
}

void SumTree::find(std::span<double> position, std::span<uint64_t> leaf) const {
  for (uint64_t& node : leaf) node = 1;
  const double* nodes = nodes_.data();
  for (unsigned level = 0; level < depth_; ++level)
    for (size_t i = 0; i < leaf.size(); ++i) {
      const double left = nodes[2 * leaf[i]], right = nodes[2 * leaf[i] + 1];
      // A right side without mass is never entered: that alone keeps rounding from ending on an empty leaf.
      const bool go_right = (position[i] >= left) & (right > 0);
      position[i] -= go_right ? left : 0.0;
      leaf[i] = 2 * leaf[i] + static_cast<uint64_t>(go_right);
    }
  for (uint64_t& node : leaf) node -= first_;
}

}  // namespace spar::replay
