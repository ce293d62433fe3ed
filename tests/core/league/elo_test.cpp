#include "core/league/elo.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>

#include "core/rng/philox.hpp"

using namespace spar;
using namespace spar::league;

namespace {

/// The win rate that gives this share of all games when one more of them is drawn.
double rate(double share, double games) { return (share * (games + 1) - 0.5) / games; }

/// By rows; what is below the diagonal follows.
std::vector<double> square(size_t players, const std::vector<double>& above) {
  std::vector<double> out(players * players, 0.5);
  size_t next = 0;
  for (size_t i = 0; i < players; ++i)
    for (size_t j = i + 1; j < players; ++j) {
      out[i * players + j] = above[next++];
      out[j * players + i] = 1 - out[i * players + j];
    }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(elo)

BOOST_AUTO_TEST_CASE(ten_of_eleven_games_are_400_points) {
  // 9.5 of 10 games and the drawn one: 10 of 11.
  const auto ratings = elo_ratings(square(2, {0.95}), 2, 10);
  BOOST_TEST(ratings[0] == 1000);
  BOOST_TEST(std::abs(ratings[1] - 600) < 1e-9);
  BOOST_TEST(std::abs(elo_ratings(square(2, {0.05}), 2, 10)[1] - 1400) < 1e-9);
}

BOOST_AUTO_TEST_CASE(equal_players_have_equal_ratings) {
  for (const double rating : elo_ratings(square(3, {0.5, 0.5, 0.5}), 3, 20)) BOOST_TEST(rating == 1000);
  // Each beats the next: nobody is better.
  for (const double rating : elo_ratings(square(3, {1, 0, 1}), 3, 20)) BOOST_TEST(std::abs(rating - 1000) < 1e-9);
  BOOST_TEST(elo_ratings(std::vector<double>{0.5}, 1, 20).at(0) == 1000);
}

BOOST_AUTO_TEST_CASE(who_wins_every_game_has_a_finite_rating) {
  // 9 games and a drawn one: odds of 19.
  const auto few = elo_ratings(square(2, {0}), 2, 9);
  BOOST_TEST(std::abs(few[1] - 1000 - 400 * std::log10(19.0)) < 1e-9);
  BOOST_TEST(elo_ratings(square(2, {0}), 2, 99)[1] > few[1]);  // more games say more
}

BOOST_AUTO_TEST_CASE(consistent_results_give_their_differences) {
  // 400 points from each to the next: 1/11, and 1/101 over two steps.
  const double games = 1'000;
  const auto ratings =
      elo_ratings(square(3, {rate(1.0 / 11, games), rate(1.0 / 101, games), rate(1.0 / 11, games)}), 3, games);
  BOOST_TEST(std::abs(ratings[1] - 1400) < 1e-8);
  BOOST_TEST(std::abs(ratings[2] - 1800) < 1e-8);
}

BOOST_AUTO_TEST_CASE(every_player_scores_what_its_rating_expects) {
  const size_t players = 40;
  const double games = 30;
  Philox random(1, "results");
  std::vector<double> above(players * (players - 1) / 2);
  for (double& w : above) w = std::round(random.uniform() * games) / games;
  const auto rates = square(players, above);
  const auto ratings = elo_ratings(rates, players, games);
  for (size_t i = 0; i < players; ++i) {
    double scored = 0, expected = 0;
    for (size_t j = 0; j < players; ++j) {
      if (i == j) continue;
      scored += games * rates[i * players + j] + 0.5;
      expected += (games + 1) / (1 + std::pow(10, (ratings[j] - ratings[i]) / 400));
    }
    BOOST_TEST(std::abs(scored - expected) < 1e-6, "player " << i << ": " << scored << " and " << expected);
  }
}

BOOST_AUTO_TEST_CASE(a_ladder_where_everybody_beats_all_before_it_is_rated_in_order) {
  const size_t players = 60;
  const auto ratings = elo_ratings(square(players, std::vector<double>(players * (players - 1) / 2, 0.0)), players, 50);
  for (size_t i = 1; i < players; ++i) BOOST_TEST(ratings[i] > ratings[i - 1] + 1);
  BOOST_TEST(std::isfinite(ratings.back()));
}

BOOST_AUTO_TEST_SUITE_END()
