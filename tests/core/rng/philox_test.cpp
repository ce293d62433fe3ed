#include "core/rng/philox.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/rng/normals.hpp"

using namespace spar;

BOOST_AUTO_TEST_SUITE(philox)

// Known-answer vectors of the Random123 distribution for philox4x32-10.
BOOST_AUTO_TEST_CASE(rounds_give_the_published_known_answers) {
  using Block = std::array<uint32_t, 4>;
  BOOST_TEST((philox4x32_10({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  BOOST_TEST(
      (philox4x32_10({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  BOOST_TEST((philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

BOOST_AUTO_TEST_CASE(streams_are_named_and_do_not_disturb_each_other) {
  Philox a(7, "a"), b(7, "b"), again(7, "a");
  std::vector<uint64_t> first;
  for (int i = 0; i < 100; ++i) first.push_back(a.bits());
  for (int i = 0; i < 100; ++i) {
    b.bits();
    BOOST_TEST(again.bits() == first[static_cast<size_t>(i)]);
  }
  BOOST_TEST(Philox(7, "b").bits() != first[0]);
  BOOST_TEST(Philox(8, "a").bits() != first[0]);
}

BOOST_AUTO_TEST_CASE(state_restores_in_the_middle_of_a_block_and_of_a_normal_pair) {
  Philox a(1, "x");
  a.bits();
  a.normal();
  Philox b;
  b.restore(a.state());
  for (int i = 0; i < 20; ++i) {
    BOOST_TEST(a.normal() == b.normal());
    BOOST_TEST(a.bits() == b.bits());
  }
}

BOOST_AUTO_TEST_CASE(many_bits_and_uniforms_are_those_of_single_calls) {
  for (const size_t n : {0, 1, 2, 3, 31, 32, 33, 34, 127, 128, 129, 300}) {
    Philox one(4, "bits"), many(4, "bits");
    std::vector<uint64_t> words(n);
    std::vector<double> uniforms(n);
    for (int round = 0; round < 3; ++round) {  // an odd number leaves half a block for the next call
      many.bits(n, words.data());
      for (const uint64_t word : words) BOOST_REQUIRE(word == one.bits());
      many.uniforms(n, uniforms.data());
      for (const double uniform : uniforms) BOOST_REQUIRE(uniform == one.uniform());
    }
    BOOST_TEST(many.bits() == one.bits());
  }
}

BOOST_AUTO_TEST_CASE(many_normals_are_those_of_single_calls) {
  for (const size_t n : {1, 2, 3, 64, 127, 128, 129, 130, 500}) {
    Philox one(4, "normals"), many(4, "normals");
    std::vector<double> numbers(n);
    for (int round = 0; round < 3; ++round) {  // an odd number leaves one for the next round
      many.normals(n, numbers.data());
      for (const double number : numbers) BOOST_REQUIRE(number == one.normal());
    }
    BOOST_TEST(many.bits() == one.bits());
  }
}

BOOST_AUTO_TEST_CASE(normals_are_those_of_box_and_muller) {
  std::vector<double> u, v;
  for (int i = 0; i < 4096; ++i) {
    u.push_back(i < 54 ? 1 - std::pow(2.0, -i) : i / 4096.0);
    v.push_back((i * 1237 % 4096) / 4096.0 + (i % 3) * 1e-9);
  }
  v[0] = 1 - 0x1p-53;
  std::vector<double> first(u.size()), second(u.size());
  box_muller(u.size(), u.data(), v.data(), first.data(), second.data());
  for (size_t i = 0; i < u.size(); ++i) {
    const double radius = std::sqrt(-2 * std::log(1 - u[i])), angle = 2 * std::numbers::pi * v[i];
    BOOST_REQUIRE_SMALL(first[i] - radius * std::cos(angle), 1e-14);
    BOOST_REQUIRE_SMALL(second[i] - radius * std::sin(angle), 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(moments_are_those_of_the_distributions) {
  Philox random(3, "moments");
  const int n = 200000;
  double uniform = 0, normal = 0, square = 0, die = 0;
  for (int i = 0; i < n; ++i) {
    uniform += random.uniform();
    const double z = random.normal();
    normal += z;
    square += z * z;
    die += static_cast<double>(random.below(6));
  }
  BOOST_TEST(std::abs(uniform / n - 0.5) < 0.004);
  BOOST_TEST(std::abs(normal / n) < 0.012);
  BOOST_TEST(std::abs(square / n - 1) < 0.016);
  BOOST_TEST(std::abs(die / n - 2.5) < 0.02);
}

BOOST_AUTO_TEST_CASE(seed_for_draws_nothing_and_depends_on_the_purpose) {
  const Philox random(5, "y");
  Philox copy(5, "y"), fresh(5, "y");
  BOOST_TEST(random.seed_for("a") != random.seed_for("b"));
  (void)copy.seed_for("a");
  BOOST_TEST(copy.bits() == fresh.bits());
}

BOOST_AUTO_TEST_SUITE_END()
