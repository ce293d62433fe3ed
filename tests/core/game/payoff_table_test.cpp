#include "core/game/payoff_table.hpp"

#include "core/game/fixture.hpp"

using namespace spar;
using namespace spar::game;
using namespace spar::test;

namespace {

/// Payoffs that tell their cell and player.
std::vector<double> name_of(std::span<const size_t> index) {
  std::vector<double> out(index.size());
  for (size_t p = 0; p < index.size(); ++p) {
    out[p] = static_cast<double>(p + 1);
    for (const size_t i : index) out[p] = out[p] * 100 + static_cast<double>(i);
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(payoff_table)

BOOST_AUTO_TEST_CASE(only_missing_cells_are_computed) {
  PayoffTable table(3);
  size_t asked = 0;
  const auto count = [&](std::span<const size_t> index) {
    ++asked;
    return name_of(index);
  };
  table.grow({2, 1, 2});
  table.fill(count);
  BOOST_TEST(asked == 4U);
  table.grow({3, 2, 2});
  table.fill(count);
  BOOST_TEST(asked == 12U);
  table.fill(count);
  BOOST_TEST(asked == 12U);
  table.grow({20, 17, 9});
  table.fill(count);
  BOOST_TEST(asked == 20U * 17 * 9);
  PayoffTable::each(table.sizes(), [&](std::span<const size_t> index) {
    for (size_t p = 0; p < 3; ++p) BOOST_REQUIRE_EQUAL(table.at(p, index), name_of(index)[p]);
  });
}

BOOST_AUTO_TEST_CASE(rows_of_two_players_lie_side_by_side) {
  PayoffTable table(2);
  table.grow({9, 3});
  table.fill(name_of);
  BOOST_TEST(table.row(0, 2)[8] == 10802);
  BOOST_TEST(table.row(1, 8)[2] == 20802);
}

BOOST_AUTO_TEST_CASE(slopes_weigh_the_others_by_their_mixture) {
  PayoffTable two(2), three(3);
  two.grow({2, 2});
  two.fill([](std::span<const size_t> i) { return std::vector<double>{i[0] == i[1] ? 4.0 : 0.0, 1.0}; });
  std::vector<double> slope(2);
  slopes(two, 0, {{0.5, 0.5}, {0.25, 0.75}}, slope);
  BOOST_TEST(slope == (std::vector<double>{1, 3}), boost::test_tools::per_element());
  three.grow({2, 2, 2});
  three.fill(
      [](std::span<const size_t> i) { return std::vector<double>(3, i[0] == i[1] && i[1] == i[2] ? 16.0 : 0.0); });
  slopes(three, 1, {{0.25, 0.75}, {0.5, 0.5}, {0.5, 0.5}}, slope);
  BOOST_TEST(slope == (std::vector<double>{2, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_saved_table_has_no_missing_cells) {
  PayoffTable table(2), loaded(2);
  table.grow({3, 9});
  table.fill(name_of);
  ByteWriter writer;
  table.save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "table");
  loaded.load(reader);
  reader.end();
  loaded.fill([](std::span<const size_t>) -> std::vector<double> { throw std::runtime_error("asked"); });
  PayoffTable::each(table.sizes(), [&](std::span<const size_t> index) {
    for (size_t p = 0; p < 2; ++p) BOOST_REQUIRE_EQUAL(loaded.at(p, index), table.at(p, index));
  });
  ByteReader early(std::span<const std::byte>(bytes).first(60), "table");
  PayoffTable cut(2);
  BOOST_TEST(refusal_of([&] { cut.load(early); }) == "E0501 the saved payoff table is larger than its bytes");
}

BOOST_AUTO_TEST_SUITE_END()
