#include "core/replay/sum_tree.hpp"

#include <algorithm>

#include "core/replay/tree_lines.hpp"

namespace spar::replay {

SumTree::SumTree(uint64_t leaves) : leaves_(leaves) {
  while (uint64_t{1} << depth_ < leaves) ++depth_;
  std::vector<uint64_t> sizes;
  for (unsigned level = (depth_ - 1) % kLineLevels + 1; level <= depth_; level += kLineLevels)
    sizes.push_back(std::max<uint64_t>(kLine, uint64_t{1} << level));  // the first may leave some of its line empty
  uint64_t all = 0;
  for (const uint64_t size : sizes) all += size;
  nodes_ = AlignedBytes(static_cast<size_t>(all) * sizeof(double));
  double* begin = reinterpret_cast<double*>(nodes_.data());
  std::fill_n(begin, all, 0.0);
  for (const uint64_t size : sizes) {
    levels_.push_back(begin);
    begin += size;
  }
}

double SumTree::node(uint64_t i) const {
  const auto below_root = static_cast<unsigned>(63 - __builtin_clzll(i));
  if (below_root > 0 && (depth_ - below_root) % kLineLevels == 0)
    return levels_[(below_root - 1) / kLineLevels][i - (uint64_t{1} << below_root)];
  return node(2 * i) + node(2 * i + 1);
}

void SumTree::set(std::span<const uint64_t> leaf, std::span<const double> mass) {
  if (path_.size() < leaf.size()) path_.resize(leaf.size());
  double* const leaves = levels_.back();
  for (size_t i = 0; i < leaf.size(); ++i) leaves[leaf[i]] = mass[i];
  const LineFunctions& functions = line_functions();
  const uint64_t* below = leaf.data();
  size_t n = leaf.size();
  for (size_t level = levels_.size() - 1; level > 0; --level) {
    n = functions.rise(n, below, path_.data());  // samples and new rows come in order: the upper levels cost little
    functions.sum(levels_[level], n, path_.data(), levels_[level - 1]);
    below = path_.data();
  }
}

void SumTree::find(std::span<double> position, std::span<uint64_t> leaf) const {
  constexpr size_t kCached = 3;  // levels that every cache holds
  const LineFunctions& functions = line_functions();
  const size_t n = leaf.size(), last = levels_.size() - 1;
  functions.enter(levels_[0], (depth_ - 1) % kLineLevels + 1, n, position.data(), leaf.data());
  for (size_t level = 1; level < last; ++level)
    functions.descend(levels_[level], level >= kCached ? levels_[level + 1] : nullptr, n, position.data(), leaf.data());
  if (last > 0)
    functions.reach(levels_[last], n, position.data(), leaf.data());
  else
    for (size_t i = 0; i < n; ++i) position[i] = at(leaf[i]);
  for (size_t i = 0; i < n; ++i)
    if (!(position[i] > 0)) position[i] = at(leaf[i] = nearest_with_mass(leaf[i]));
}

uint64_t SumTree::nearest_with_mass(uint64_t leaf) const {
  const uint64_t first = uint64_t{1} << depth_;
  uint64_t i = first + leaf;
  while (!(node(i) > 0)) i /= 2;  // the root has mass
  while (i < first) i = 2 * i + (node(2 * i + 1) > 0 ? 1 : 0);
  return i - first;
}

}  // namespace spar::replay
