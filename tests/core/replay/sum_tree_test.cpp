#include "core/replay/sum_tree.hpp"

#include <numeric>

#include "core/rng/philox.hpp"
#include "spar/rl/priorities.hpp"
#include "support/golden.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

namespace {

SumTree tree_of(const std::vector<double>& masses) {
  SumTree tree(masses.size());
  std::vector<uint64_t> leaves(masses.size());
  std::iota(leaves.begin(), leaves.end(), uint64_t{0});
  tree.set(leaves, masses);
  return tree;
}

uint64_t find(const SumTree& tree, double position) {
  uint64_t leaf = 0;
  tree.find({&position, 1}, {&leaf, 1});
  return leaf;
}

/// The same tree with every node stored, one item and one level at a time.
class PlainTree {
 public:
  explicit PlainTree(const std::vector<double>& masses) {
    while (first_ < masses.size()) first_ *= 2;
    nodes_.assign(2 * first_, 0.0);
    std::copy(masses.begin(), masses.end(), nodes_.begin() + static_cast<std::ptrdiff_t>(first_));
    for (size_t i = first_ - 1; i > 0; --i) nodes_[i] = nodes_[2 * i] + nodes_[2 * i + 1];
  }
  size_t size() const { return nodes_.size(); }
  double node(size_t i) const { return nodes_[i]; }
  uint64_t find(double position) const {
    size_t i = 1;
    while (i < first_) {
      i *= 2;
      if (position < nodes_[i]) continue;
      position -= nodes_[i];
      ++i;
    }
    return i - first_;
  }

 private:
  size_t first_ = 1;
  std::vector<double> nodes_;
};

std::vector<double> random_masses(Philox& random, uint64_t leaves) {
  std::vector<double> masses(leaves);
  for (double& mass : masses) mass = 1e-3 + random.uniform();
  return masses;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sum_tree)

BOOST_AUTO_TEST_CASE(batches_of_every_size_go_the_way_of_single_items_to_the_last_bit) {
  Philox random(4, "sum_tree");
  for (const uint64_t leaves : {1, 2, 3, 4, 5, 8, 9, 16, 17, 60, 500, 4097}) {
    std::vector<double> masses = random_masses(random, leaves);
    SumTree tree = tree_of(masses);
    for (size_t n = 1; n <= 40; ++n) {
      std::vector<uint64_t> changed(n), found(n);
      std::vector<double> mass = random_masses(random, n), position(n);
      for (size_t i = 0; i < n; ++i) masses[changed[i] = random.below(leaves)] = mass[i];
      tree.set(changed, mass);
      const PlainTree plain(masses);
      for (size_t i = 1; i < plain.size(); ++i) BOOST_REQUIRE(tree.node(i) == plain.node(i));
      random.uniforms(n, position.data());
      for (double& at : position) at *= tree.total() * 0.999;
      const std::vector<double> before = position;
      tree.find(position, found);
      for (size_t i = 0; i < n; ++i) {
        BOOST_REQUIRE(found[i] == plain.find(before[i]));
        BOOST_REQUIRE(position[i] == masses[found[i]]);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(inner_nodes_are_the_sums_of_their_children) {
  const Json golden_case = golden("per.sumtree4");
  const SumTree tree = tree_of(numbers(golden_case.at("inputs").at("leaves")));
  check(tree.total(), golden_case.at("expected").at("root"));
  check({tree.node(2), tree.node(3)}, golden_case.at("expected").at("level1"));
}

BOOST_AUTO_TEST_CASE(find_uses_half_open_intervals_and_never_gives_an_empty_leaf) {
  for (const char* name : {"per.sumtree4", "per.sumtree_zero_leaf", "per.sumtree6_partial"}) {
    const Json golden_case = golden(name);
    const SumTree tree = tree_of(numbers(golden_case.at("inputs").at("leaves")));
    for (const auto& [position, leaf] : golden_case.at("expected").at("retrieve").as_object())
      BOOST_TEST(find(tree, std::stod(std::string(position))) == leaf.to_number<uint64_t>(),
                 name << " at " << position);
  }
  const Json zero_leaf = golden("per.sumtree_zero_leaf");
  const SumTree tree = tree_of(numbers(zero_leaf.at("inputs").at("leaves")));
  BOOST_TEST(find(tree, 0.0) != zero_leaf.at("wrong").at("F18_le_comparison").at("0.0").to_number<uint64_t>());
}

BOOST_AUTO_TEST_CASE(find_agrees_with_a_linear_search) {
  Philox random(1, "sum_tree");
  for (const uint64_t leaves : {1, 2, 3, 7, 64, 100}) {
    std::vector<double> masses(leaves);
    for (double& mass : masses) mass = random.uniform() < 0.3 ? 0.0 : std::floor(1 + 8 * random.uniform());
    masses[random.below(leaves)] = 3;
    const SumTree tree = tree_of(masses);
    for (double position = 0; position < tree.total(); position += 0.25)  // small integers: every sum is exact
      BOOST_TEST(find(tree, position) == rl::pick_by_mass(masses, position));
  }
}

BOOST_AUTO_TEST_CASE(rounded_positions_never_find_an_empty_leaf) {
  Philox random(2, "sum_tree");
  std::vector<double> masses(37);
  for (size_t i = 0; i < masses.size(); ++i) masses[i] = i % 3 == 0 ? random.uniform() * 1e-3 + 0.1 : 0.0;
  const SumTree tree = tree_of(masses);
  double below = 0;
  for (size_t i = 0; i < masses.size(); ++i) {
    below += masses[i];
    for (const double position : {below, std::nextafter(below, 0.0), std::nextafter(below, 1e9), tree.total(), 1e300})
      BOOST_TEST(masses[find(tree, position)] > 0);
  }
}

// The golden case per.float32_drift gives only the counts of its updates, so its fault (F18) is told by the property.
BOOST_AUTO_TEST_CASE(sums_do_not_drift_however_often_leaves_change) {
  Philox random(3, "sum_tree");
  const uint64_t leaves = 1024;
  SumTree tree(leaves);
  std::vector<double> masses(leaves, 0.0);
  for (int i = 0; i < 16384; ++i) {
    const uint64_t leaf = random.below(leaves);
    masses[leaf] = std::pow(10.0, 6 * random.uniform() - 3);
    tree.set({&leaf, 1}, {&masses[leaf], 1});
  }
  BOOST_TEST(tree.total() == tree_of(masses).total());
  BOOST_TEST(same(tree.total(), std::accumulate(masses.begin(), masses.end(), 0.0)));
}

BOOST_AUTO_TEST_CASE(last_mass_counts_when_a_leaf_is_named_twice) {
  SumTree tree(4);
  const uint64_t leaf[] = {2, 1, 2};
  const double mass[] = {5, 1, 7};
  tree.set(leaf, mass);
  BOOST_TEST(tree.at(2) == 7.0);
  BOOST_TEST(tree.total() == 8.0);
}

BOOST_AUTO_TEST_SUITE_END()
