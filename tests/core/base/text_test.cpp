#include "core/base/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace spar;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(edit_distance_counts_a_transposition_as_one) {
  BOOST_TEST(edit_distance("lr", "rl") == 1);
  BOOST_TEST(edit_distance("kitten", "sitting") == 3);
  BOOST_TEST(edit_distance("", "abc") == 3);
}

BOOST_AUTO_TEST_CASE(nearest_finds_a_misspelt_name_and_rejects_a_stranger) {
  const std::vector<std::string> names = {"actor_lr", "critic_lr", "gamma"};
  BOOST_TEST(nearest("gama", names) == "gamma");
  BOOST_TEST(nearest("zzz", names) == "");
}

BOOST_AUTO_TEST_CASE(printable_drops_control_characters) { BOOST_TEST(printable("a\x1b[31mb\n\x7f") == "a[31mb"); }

BOOST_AUTO_TEST_CASE(listing_reads_like_a_sentence) {
  const std::vector<std::string> items = {"a", "b", "c"};
  BOOST_TEST(listing(items) == "a, b and c");
  BOOST_TEST(listing(items, "or") == "a, b or c");
}

BOOST_AUTO_TEST_CASE(hexadecimal_has_two_digits_for_each_byte) {
  const std::byte bytes[] = {std::byte{0x00}, std::byte{0x0f}, std::byte{0xa5}, std::byte{0xff}};
  BOOST_TEST(hexadecimal(bytes) == "000fa5ff");
  BOOST_TEST(hexadecimal({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
