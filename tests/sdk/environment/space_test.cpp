#include "spar/space.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>

using spar::Space;

namespace {
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const spar::StatusError& e) {
    return e.code == SPAR_E_INVALID ? e.what() : "another code";
  }
  return "";
}
}  // namespace

BOOST_AUTO_TEST_SUITE(space)

BOOST_AUTO_TEST_CASE(a_box_shows_its_bounds_and_survives_a_move) {
  Space made = Space::box({-1, 0}, {1, std::numeric_limits<double>::infinity()});
  const Space moved = std::move(made);
  Space copy = moved;
  const spar_space& abi = *copy.abi();
  BOOST_TEST(abi.kind == static_cast<uint32_t>(SPAR_SPACE_BOX));
  BOOST_TEST(abi.code == SPAR_DTYPE_FLOAT);
  BOOST_TEST(abi.bits == 32);
  BOOST_REQUIRE_EQUAL(abi.ndim, 1);
  BOOST_TEST(abi.shape[0] == 2);
  BOOST_TEST(abi.low[1] == 0);
  BOOST_TEST(abi.high[1] == std::numeric_limits<double>::infinity());
  BOOST_TEST(copy.width() == 2U);
}

BOOST_AUTO_TEST_CASE(an_image_is_height_width_channels_of_bytes) {
  Space image = Space::image(4, 5, 3);
  const spar_space& abi = *image.abi();
  BOOST_TEST(abi.code == SPAR_DTYPE_UINT);
  BOOST_TEST(abi.bits == 8);
  BOOST_REQUIRE_EQUAL(abi.ndim, 3);
  BOOST_TEST(abi.shape[0] == 4);
  BOOST_TEST(abi.shape[2] == 3);
  BOOST_TEST(abi.low[59] == 0);
  BOOST_TEST(abi.high[59] == 255);
  BOOST_TEST(image.width() == 60U);
}

BOOST_AUTO_TEST_CASE(a_discrete_space_has_no_shape) {
  Space space = Space::discrete(6);
  BOOST_TEST(space.abi()->n == 6);
  BOOST_TEST(space.abi()->ndim == 0);
  BOOST_TEST(space.abi()->low == nullptr);
  BOOST_TEST(space.width() == 1U);
}

BOOST_AUTO_TEST_CASE(impossible_spaces_are_refused) {
  BOOST_TEST(refusal([] { Space::box({}, {}); }) ==
             "a box needs one lower and one upper bound for each number, found 0 and 0");
  BOOST_TEST(refusal([] {
               Space::box({0, 1}, {2});
             }) == "a box needs one lower and one upper bound for each number, found 2 and 1");
  BOOST_TEST(refusal([] { Space::box({0, 3}, {1, 2}); }).find("bound 1 of a box is upside down") == 0U);
  BOOST_TEST(refusal([] {
               Space::box(1, 0, std::numeric_limits<double>::quiet_NaN());
             }).find("bound 0 of a box is upside down") == 0U);
  BOOST_TEST(refusal([] { Space::discrete(0); }) == "a discrete space needs at least 1 value, found 0");
  BOOST_TEST(refusal([] { Space::image(0, 2, 1); }) == "an image needs at least 1 x 1 x 1 numbers, found 0 x 2 x 1");
}

BOOST_AUTO_TEST_SUITE_END()
