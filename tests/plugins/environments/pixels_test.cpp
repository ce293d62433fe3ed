#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "plugins/environments/environment_copies.hpp"

using namespace spar::test;

namespace {

constexpr int64_t kCells = 9, kSide = 36;

const spar_component& game() { return environment_component("pixels", "org.spar.pixels/catch"); }

uint8_t point(EnvironmentCopies& copies, int frame, int64_t row, int64_t column) {
  return copies.column(0, "obs").as<uint8_t>()[(frame * kSide + row * 4) * kSide + column * 4];
}

/// The column of the cell in `row` whose points are `brightness`; -1 if there is none.
int64_t find(EnvironmentCopies& copies, int frame, int64_t row, uint8_t brightness) {
  for (int64_t column = 0; column < kCells; ++column)
    if (point(copies, frame, row, column) == brightness) return column;
  return -1;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pixels)

BOOST_AUTO_TEST_CASE(spaces_are_frames_of_bytes_and_three_actions) {
  EnvironmentCopies copies(game(), 1);
  const spar_space& obs = *copies.agent().obs;
  BOOST_TEST(static_cast<int>(obs.code) == SPAR_DTYPE_UINT);
  BOOST_TEST(static_cast<int>(obs.bits) == 8);
  BOOST_REQUIRE_EQUAL(obs.ndim, 3);
  BOOST_TEST(obs.shape[0] == 2);
  BOOST_TEST(obs.shape[1] == kSide);
  BOOST_TEST(obs.shape[2] == kSide);
  BOOST_TEST(copies.agent().act->n == 3);
}

BOOST_AUTO_TEST_CASE(following_the_ball_catches_it_from_every_column) {
  EnvironmentCopies copies(game(), 1);
  std::vector<int64_t> columns;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    copies.reset_all(seed);
    const int64_t ball = find(copies, 0, 0, 255);
    columns.push_back(ball);
    BOOST_REQUIRE(ball >= 0);
    int64_t paddle = find(copies, 0, kCells - 1, 128);
    BOOST_TEST(paddle == kCells / 2);
    for (int64_t row = 1; row < kCells; ++row) {
      copies.discrete() = ball < paddle ? 0 : ball == paddle ? 1 : 2;
      paddle += copies.discrete() - 1;
      copies.step();
      BOOST_TEST(find(copies, 0, row, 255) == ball);
      BOOST_TEST(find(copies, 1, row - 1, 255) == ball);
      BOOST_TEST(static_cast<int>(copies.terminated()) == (row == kCells - 1 ? 1 : 0));
      BOOST_TEST(copies.reward() == (row == kCells - 1 ? 1.0f : 0.0f));
    }
  }
  std::sort(columns.begin(), columns.end());
  BOOST_TEST((std::unique(columns.begin(), columns.end()) - columns.begin() == kCells));
}

BOOST_AUTO_TEST_CASE(a_paddle_elsewhere_misses_and_walls_hold_it) {
  EnvironmentCopies copies(game(), 1);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    copies.reset_all(seed);
    const int64_t ball = find(copies, 0, 0, 255), away = ball < kCells / 2 ? 2 : 0;
    for (int64_t row = 1; row < kCells; ++row) {
      copies.discrete() = away;
      copies.step();
    }
    BOOST_TEST(copies.reward() == (ball == (away == 2 ? kCells - 1 : 0) ? 1.0f : -1.0f));
    BOOST_TEST(find(copies, 1, kCells - 1, 128) == (away == 2 ? kCells - 1 : 0));
  }
}

BOOST_AUTO_TEST_CASE(frames_grow_with_cells_and_scale) {
  EnvironmentCopies copies(game(), 1, {{"cells", 5}, {"scale", 8}});
  BOOST_TEST(copies.agent().obs->shape[1] == 40);
  copies.reset_all(1);
  const auto* points = copies.column(0, "obs").as<uint8_t>();
  BOOST_TEST(std::count(points, points + 40 * 40, 255) == 64);
  BOOST_TEST(std::count(points, points + 40 * 40, 128) == 64);
}

BOOST_AUTO_TEST_SUITE_END()
