#include "core/rollout/space.hpp"

#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;
using rollout::copy_space;

namespace {

/// A space of this program's, with one child if it is a DICT.
struct Raw {
  spar_space space{};
  int64_t shape[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  int64_t nvec[2] = {3, 5};
  const char* keys[1] = {"inner"};
  const spar_space* children[1] = {nullptr};

  Raw(uint32_t kind, int32_t ndim) {
    space.struct_size = sizeof space;
    space.kind = kind;
    space.code = SPAR_DTYPE_FLOAT;
    space.bits = 32;
    space.ndim = ndim;
    space.shape = shape;
    space.nvec = nvec;
    space.keys = keys;
    space.children = children;
  }
};

std::string refusal(const Raw& raw) {
  return error_of([&] { copy_space(raw.space, "environment `e`, agent `a`,"); });
}
const std::string kOwner = "E0703 environment `e`, agent `a`, describes a space that ";

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout_space)

BOOST_AUTO_TEST_CASE(copy_owns_everything) {
  Space box = Space::box({-1, -2}, {3, 4});
  const rollout::Space copy = copy_space(*box.abi(), "e");
  box = Space::discrete(2);
  BOOST_TEST(copy.low == (std::vector<double>{-1, -2}), boost::test_tools::per_element());
  BOOST_TEST(copy.high == (std::vector<double>{3, 4}), boost::test_tools::per_element());
  BOOST_TEST(copy.width() == 2);
  BOOST_TEST(copy.name() == "Box(2)");
}

BOOST_AUTO_TEST_CASE(names_say_kind_and_size) {
  BOOST_TEST(copy_space(*Space::discrete(7).abi(), "e").name() == "Discrete(7)");
  BOOST_TEST(copy_space(*Space::image(84, 84, 4).abi(), "e").name() == "Box(84x84x4)");
  Raw many(SPAR_SPACE_MULTI_DISCRETE, 1);
  many.shape[0] = 2;
  const auto copy = copy_space(many.space, "e");
  BOOST_TEST(copy.name() == "MultiDiscrete(2)");
  BOOST_TEST(copy.nvec == (std::vector<int64_t>{3, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(leaves_of_a_nested_dict_come_depth_first) {
  Space box = Space::box(3, -1, 1), number = Space::discrete(5);
  Raw inner(SPAR_SPACE_DICT, 0);
  const char* inner_keys[] = {"x", "y"};
  const spar_space* inner_children[] = {box.abi(), number.abi()};
  inner.space.n_children = 2;
  inner.space.keys = inner_keys;
  inner.space.children = inner_children;
  Raw outer(SPAR_SPACE_DICT, 0);
  const char* outer_keys[] = {"a", "b"};
  const spar_space* outer_children[] = {&inner.space, box.abi()};
  outer.space.n_children = 2;
  outer.space.keys = outer_keys;
  outer.space.children = outer_children;
  const rollout::Space copy = copy_space(outer.space, "e");
  BOOST_TEST(copy.name() == "Dict{a: Dict{x: Box(3), y: Discrete(5)}, b: Box(3)}");
  const auto leaves = rollout::observation_leaves(copy);
  BOOST_REQUIRE(leaves.size() == 3u);
  BOOST_TEST(leaves[0].column == "obs/a/x");
  BOOST_TEST(leaves[1].column == "obs/a/y");
  BOOST_TEST(leaves[2].column == "obs/b");
  BOOST_TEST(leaves[1].code == SPAR_DTYPE_INT);
  BOOST_TEST(leaves[1].shape.empty());
}

BOOST_AUTO_TEST_CASE(malformed_spaces_are_refused_with_what_is_wrong) {
  Raw ranks(SPAR_SPACE_BOX, 9);
  BOOST_TEST(refusal(ranks) == kOwner + "has 9 dimensions, expected 0 to 8");
  Raw negative(SPAR_SPACE_BOX, -1);
  BOOST_TEST(refusal(negative) == kOwner + "has -1 dimensions, expected 0 to 8");
  Raw shapeless(SPAR_SPACE_BOX, 1);
  shapeless.space.shape = nullptr;
  BOOST_TEST(refusal(shapeless) == kOwner + "has 1 dimensions and no shape");
  Raw empty(SPAR_SPACE_BOX, 1);
  empty.shape[0] = 0;
  BOOST_TEST(refusal(empty) == kOwner + "has a dimension of 0, expected at least 1");
  Raw huge(SPAR_SPACE_BOX, 2);
  huge.shape[0] = huge.shape[1] = int64_t{1} << 40;
  BOOST_TEST(refusal(huge) == kOwner + "has more than 268435456 numbers in one element");
  Raw nothing(SPAR_SPACE_DISCRETE, 0);
  BOOST_TEST(refusal(nothing) == kOwner + "is Discrete(0), expected at least one element");
  Raw sizeless(SPAR_SPACE_MULTI_DISCRETE, 1);
  sizeless.space.nvec = nullptr;
  BOOST_TEST(refusal(sizeless) == kOwner + "is MultiDiscrete without the sizes of its elements");
  Raw childless(SPAR_SPACE_DICT, 0);
  BOOST_TEST(refusal(childless) == kOwner + "is a Dict without children");
  Raw keyless(SPAR_SPACE_DICT, 0);
  keyless.space.n_children = 1;
  keyless.space.keys = nullptr;
  BOOST_TEST(refusal(keyless) == kOwner + "is a Dict of 1 without keys or children");
  Raw unknown(99, 0);
  BOOST_TEST(refusal(unknown) == kOwner + "is of kind 99, which this host does not know");
  Raw endless(SPAR_SPACE_DICT, 0);
  endless.space.n_children = 1;
  endless.children[0] = &endless.space;
  BOOST_TEST(refusal(endless) == kOwner + "is nested deeper than 32");
}

BOOST_AUTO_TEST_SUITE_END()
