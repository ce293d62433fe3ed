#include "spar/numpy_random.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "support/json_file.hpp"

using namespace spar;

namespace {

std::string decimal(NumpyRandom::Word128 value) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return text;
}

boost::json::array vectors() { return test::json_file("numpy_pcg64.json").at("pcg64").as_array(); }

// Boost.JSON 1.81 may miss a double by its last bit, so the file holds reals as text.
double real(const boost::json::value& text) { return std::strtod(text.as_string().c_str(), nullptr); }

uint64_t seed_of(const boost::json::value& vector) { return vector.at("seed").to_number<uint64_t>(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(numpy_random)

BOOST_AUTO_TEST_CASE(seeding_gives_the_state_and_increment_of_numpy) {
  for (const auto& vector : vectors()) {
    const NumpyRandom random(seed_of(vector));
    BOOST_TEST(decimal(random.state()) == std::string(vector.at("state").as_string()));
    BOOST_TEST(decimal(random.increment()) == std::string(vector.at("inc").as_string()));
  }
}

BOOST_AUTO_TEST_CASE(raw_bits_equal_those_of_numpy) {
  for (const auto& vector : vectors()) {
    NumpyRandom random(seed_of(vector));
    for (const auto& raw : vector.at("raw").as_array())
      BOOST_TEST(std::to_string(random.bits()) == std::string(raw.as_string()));
  }
}

BOOST_AUTO_TEST_CASE(mixed_draws_equal_those_of_numpy_in_the_same_order) {
  for (const auto& vector : vectors()) {
    NumpyRandom random(seed_of(vector));
    for (const auto& x : vector.at("random").as_array()) BOOST_TEST(random.random() == real(x));
    for (const auto& x : vector.at("uniform_-0.05_0.05").as_array()) BOOST_TEST(random.uniform(-0.05, 0.05) == real(x));
    for (const auto& x : vector.at("integers_-9999_9999").as_array())
      BOOST_TEST(random.integers(-9999, 9999) == x.as_int64());
    for (const auto& x : vector.at("integers_3").as_array()) BOOST_TEST(random.integers(3) == x.as_int64());
    BOOST_TEST(random.random() == real(vector.at("then_random")));
  }
}

BOOST_AUTO_TEST_CASE(half_words_come_low_half_first_and_survive_a_full_draw) {
  NumpyRandom halves(7), words(7);
  const uint64_t first = words.bits(), second = words.bits();
  BOOST_TEST(halves.bits32() == static_cast<uint32_t>(first));
  BOOST_TEST(halves.bits() == second);
  BOOST_TEST(halves.bits32() == static_cast<uint32_t>(first >> 32));
}

BOOST_AUTO_TEST_CASE(integers_of_a_single_value_cost_no_draw) {
  NumpyRandom random(3);
  BOOST_TEST(random.integers(5, 6) == 5);
  BOOST_TEST(random.bits() == NumpyRandom(3).bits());
}

BOOST_AUTO_TEST_CASE(integers_cover_ranges_wider_than_32_bits) {
  NumpyRandom random(11);
  BOOST_TEST(random.integers(INT64_MIN, INT64_MAX) < INT64_MAX);
  bool wide = false;
  for (int i = 0; i < 100; ++i) {
    const int64_t drawn = random.integers(-1, int64_t{1} << 40);
    BOOST_TEST((drawn >= -1 && drawn < (int64_t{1} << 40)));
    wide = wide || drawn > int64_t{1} << 33;
  }
  BOOST_TEST(wide);
}

BOOST_AUTO_TEST_CASE(integers_reach_every_value_of_a_small_range) {
  NumpyRandom random(5);
  std::set<int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.integers(-2, 3));
  BOOST_TEST(seen == (std::set<int64_t>{-2, -1, 0, 1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(long_entropy_differs_from_its_first_words) {
  const uint32_t words[5] = {1, 2, 3, 4, 5};
  uint32_t four[4], five[4];
  NumpySeedSequence(words, 4).generate(four, 4);
  NumpySeedSequence(words, 5).generate(five, 4);
  BOOST_TEST(std::memcmp(four, five, sizeof four) != 0);
}

BOOST_AUTO_TEST_CASE(copied_bytes_continue_the_sequence) {
  NumpyRandom random(9);
  random.bits32();
  NumpyRandom copy;
  std::memcpy(static_cast<void*>(&copy), &random, sizeof random);
  BOOST_TEST(copy.integers(1000) == random.integers(1000));
  BOOST_TEST(copy.random() == random.random());
}

BOOST_AUTO_TEST_SUITE_END()
