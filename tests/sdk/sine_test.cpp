#include "spar/sine.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace {

/// How far `found` is from the exact number, in units of its last place.
double units(double found, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  return static_cast<double>(std::fabs((found - exact) / std::ldexp(1.0L, exponent - 53)));
}

struct Worst {
  double sine = 0, cosine = 0;

  void look_at(double x) {
    double s, c;
    spar::sine_and_cosine(x, s, c);
    sine = std::max(sine, units(s, std::sin(static_cast<long double>(x))));
    cosine = std::max(cosine, units(c, std::cos(static_cast<long double>(x))));
  }
};

/// A grid, and as many numbers at random, whose last bits are as good as any.
Worst worst_between(double low, double high, int n) {
  Worst worst;
  std::mt19937_64 random(1);
  for (int i = 0; i <= n; ++i) {
    worst.look_at(low + (high - low) * i / n);
    worst.look_at(low + (high - low) * std::ldexp(static_cast<double>(random() >> 11), -53));
  }
  return worst;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

// long double is what the claims are held against: where it is no wider than double, nothing can be said.
BOOST_AUTO_TEST_SUITE(sine)

BOOST_AUTO_TEST_CASE(both_are_within_the_stated_error_of_the_exact_numbers) {
  if (std::numeric_limits<long double>::digits < 64) return;
  const Worst small = worst_between(-0.22, 0.22, 100'000);
  BOOST_TEST(small.sine < 0.501);
  BOOST_TEST(small.cosine < 0.501);
  for (const double range : {M_PI / 4, M_PI, 100.0, 1024.0}) {
    const Worst worst = worst_between(-range, range, 100'000);
    BOOST_TEST(worst.sine < 0.56, "sine, |x| < " << range << ": " << worst.sine);
    BOOST_TEST(worst.cosine < 0.56, "cosine, |x| < " << range << ": " << worst.cosine);
  }
}

BOOST_AUTO_TEST_CASE(beside_multiples_of_a_quarter_turn_nothing_is_lost) {
  if (std::numeric_limits<long double>::digits < 64) return;
  Worst worst;
  for (int n = -651; n <= 651; ++n) {
    double x = static_cast<double>(n * 1.57079632679489661923132169163975144L);
    for (int i = 0; i < 3; ++i) x = std::nextafter(x, -2000.0);
    for (int i = 0; i < 7; ++i, x = std::nextafter(x, 2000.0))
      if (x != 0) worst.look_at(x);
  }
  BOOST_TEST(worst.sine < 0.56);
  BOOST_TEST(worst.cosine < 0.56);
}

BOOST_AUTO_TEST_CASE(far_angles_are_those_of_the_c_library_and_what_is_no_angle_gives_nan) {
  double s, c;
  for (const double x : {1024.5, -5000.0, 1e22}) {
    spar::sine_and_cosine(x, s, c);
    BOOST_TEST(same_bits(s, std::sin(x)));
    BOOST_TEST(same_bits(c, std::cos(x)));
  }
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    spar::sine_and_cosine(x, s, c);
    BOOST_TEST(std::isnan(s));
    BOOST_TEST(std::isnan(c));
  }
  spar::sine_and_cosine(0.0, s, c);
  BOOST_TEST(s == 0.0);
  BOOST_TEST(c == 1.0);
}

#if SPAR_RL_VECTORS
BOOST_AUTO_TEST_CASE(a_vector_gives_the_bits_of_its_numbers_one_by_one) {
  typedef double Two __attribute__((vector_size(16)));
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> near(-3, 3), far(-3000, 3000);
  for (int i = 0; i < 20'000; ++i) {
    const Two x = {near(random), i % 10 == 0 ? far(random) : near(random)};
    Two s, c;
    spar::sine_and_cosine(x, s, c);
    for (int lane = 0; lane < 2; ++lane) {
      double one_s, one_c;
      spar::sine_and_cosine(x[lane], one_s, one_c);
      BOOST_REQUIRE(same_bits(s[lane], one_s));
      BOOST_REQUIRE(same_bits(c[lane], one_c));
    }
  }
}
#endif

BOOST_AUTO_TEST_SUITE_END()
