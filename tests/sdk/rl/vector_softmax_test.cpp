// Rows taken in vectors: as exact as float32 allows, and the same bits for every width of vectors.
#include "spar/rl/vector_softmax.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "spar/rl/categorical.hpp"

#if SPAR_RL_VECTORS

using namespace spar::rl;

namespace {

constexpr size_t kRows = 5;
constexpr size_t kLengths[] = {16, 17, 31, 32, 33, 51, 64, 101};

std::vector<float> draws(size_t n, unsigned seed, float width) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-width, width);
  std::vector<float> out(n);
  for (float& x : out) x = uniform(random);
  return out;
}

std::vector<double> exact_softmax(const std::vector<float>& x, size_t n) {
  const std::vector<double> wide(x.begin(), x.end());
  std::vector<double> p(wide.size());
  softmax(wide, n, p);
  return p;
}

struct CrossEntropy {
  std::vector<float> loss, d;
  bool operator==(const CrossEntropy&) const = default;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(vector_softmax)

BOOST_AUTO_TEST_CASE(exp_of_one_block_is_right_to_two_parts_in_ten_million) {
  for (float x = -86.9F; x < 87.9F; x += 0.037F) {
    detail::Block<4> block;
    const std::vector<float> sixteen(16, x);
    block.load(sixteen.data());
    block.exp();
    const double exact = std::exp(static_cast<double>(x));
    BOOST_REQUIRE_SMALL(block.part[0][0] / exact - 1, 2e-7);
  }
}

BOOST_AUTO_TEST_CASE(what_is_far_below_gives_zero_and_a_nan_stays_one) {
  std::vector<float> x(16, -88.0F);
  x[1] = -std::numeric_limits<float>::infinity();
  x[2] = std::numeric_limits<float>::quiet_NaN();
  x[3] = 0;
  detail::Block<4> block;
  block.load(x.data());
  block.exp();
  block.store(x.data());
  BOOST_TEST(x[0] == 0.0F);
  BOOST_TEST(x[1] == 0.0F);
  BOOST_TEST(std::isnan(x[2]));
  BOOST_TEST(x[3] == 1.0F);
}

BOOST_AUTO_TEST_CASE(softmax_is_exact_to_float_for_every_length_also_in_place) {
  for (const size_t n : kLengths) {
    std::vector<float> x = draws(kRows * n, 1, 8), p(x.size());
    const std::vector<double> exact = exact_softmax(x, n);
    softmax(x, n, p);
    softmax(x, n, x);
    BOOST_TEST(p == x);
    for (size_t i = 0; i < p.size(); ++i) BOOST_REQUIRE_SMALL(p[i] / exact[i] - 1, 2e-6);
  }
}

BOOST_AUTO_TEST_CASE(cross_entropy_and_its_gradient_are_exact_to_float_for_every_length) {
  for (const size_t n : kLengths) {
    const std::vector<float> x = draws(kRows * n, 2, 4), weight = draws(kRows, 3, 2);
    std::vector<float> m = draws(kRows * n, 4, 3);
    softmax(m, n, m);
    std::vector<float> loss(kRows), d(x.size());
    cross_entropy_gradient(m, x, weight, loss, d);
    const std::vector<double> wide_m(m.begin(), m.end()), wide_x(x.begin(), x.end()),
        wide_w(weight.begin(), weight.end());
    std::vector<double> exact(kRows), exact_d(x.size());
    cross_entropy_gradient(wide_m, wide_x, wide_w, exact, exact_d);
    for (size_t i = 0; i < kRows; ++i) BOOST_REQUIRE_SMALL(loss[i] / exact[i] - 1, 2e-6);
    for (size_t i = 0; i < d.size(); ++i) BOOST_REQUIRE_SMALL(d[i] - exact_d[i], 2e-7);
  }
}

BOOST_AUTO_TEST_CASE(every_width_of_vectors_gives_the_same_bits) {
  for (const size_t n : kLengths) {
    const std::vector<float> x = draws(kRows * n, 5, 20), m = draws(kRows * n, 6, 1), w = draws(kRows, 7, 1);
    const auto softmax_by = [&](auto&& rows) {
      std::vector<float> p(x.size());
      rows(x.data(), kRows, n, p.data());
      return p;
    };
    const auto entropy_by = [&](auto&& rows) {
      CrossEntropy out{std::vector<float>(kRows), std::vector<float>(x.size())};
      rows(m.data(), x.data(), w.data(), kRows, n, out.loss.data(), out.d.data());
      return out;
    };
    const auto p = softmax_by([](auto... a) { detail::softmax_rows_in<4>(a...); });
    const auto entropy = entropy_by([](auto... a) { detail::cross_entropy_rows_in<4>(a...); });
    BOOST_TEST((softmax_by([](auto... a) { detail::softmax_rows(a...); }) == p));
    BOOST_TEST((entropy_by([](auto... a) { detail::cross_entropy_rows(a...); }) == entropy));
#if defined(__x86_64__)
    if (detail::vector_width() < 8) continue;
    BOOST_TEST((softmax_by([](auto... a) { detail::softmax_rows_256(a...); }) == p));
    BOOST_TEST((entropy_by([](auto... a) { detail::cross_entropy_rows_256(a...); }) == entropy));
#endif
  }
}

BOOST_AUTO_TEST_SUITE_END()

#endif
