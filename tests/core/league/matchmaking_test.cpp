#include "core/league/matchmaking.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>

using namespace spar;
using namespace spar::league;

namespace {

const PastPlayer kMain0{"main_0/0", Kind::main_agent, 0, 0},
    kExploiter0{"main_exploiter_0/0", Kind::main_exploiter, 1, 0}, kMain1{"main_0/1", Kind::main_agent, 0, 1},
    kExploiter1{"main_exploiter_0/1", Kind::main_exploiter, 1, 1};
const std::vector<PastPlayer> kOneMain = {kMain0, kExploiter0, kMain1, kExploiter1};

/// Two main agents, twice.
const std::vector<PastPlayer> kTwoMains = {{"main_0/0", Kind::main_agent, 0, 0},
                                           {"main_1/0", Kind::main_agent, 1, 0},
                                           {"main_0/1", Kind::main_agent, 0, 1},
                                           {"main_1/1", Kind::main_agent, 1, 1}};

void check(const std::vector<double>& found, const std::vector<double>& expected) {
  BOOST_REQUIRE_EQUAL(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    BOOST_TEST(std::abs(found[i] - expected[i]) < 1e-12,
               "number " << i << " is " << found[i] << ", expected " << expected[i]);
  BOOST_TEST(std::abs(std::accumulate(found.begin(), found.end(), 0.0) - 1) < 1e-12);
}

config::LeagueConfig uniform_pfsp() {
  config::LeagueConfig out;
  out.pfsp = "uniform";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(matchmaking)

BOOST_AUTO_TEST_CASE(hard_prefers_who_beats_and_even_who_is_like) {
  const std::vector<double> rates = {0.5, 0, 0.75, 1};
  check(pfsp("hard", 2, rates), {0.25 / 1.3125, 1 / 1.3125, 0.0625 / 1.3125, 0});
  check(pfsp("hard", 1, rates), {0.5 / 1.75, 1 / 1.75, 0.25 / 1.75, 0});
  check(pfsp("even", 2, rates), {0.25 / 0.4375, 0, 0.1875 / 0.4375, 0});
  check(pfsp("uniform", 2, rates), {0.25, 0.25, 0.25, 0.25});
}

BOOST_AUTO_TEST_CASE(where_every_weight_is_0_all_are_alike) {
  check(pfsp("hard", 2, std::vector<double>{1, 1}), {0.5, 0.5});
  check(pfsp("even", 2, std::vector<double>{1, 0, 1, 0}), {0.25, 0.25, 0.25, 0.25});
}

BOOST_AUTO_TEST_CASE(older_selves_that_are_harder_to_beat_may_be_forgotten) {
  BOOST_TEST(perhaps_forgotten(std::vector<double>{}) == 0u);
  BOOST_TEST(perhaps_forgotten(std::vector<double>{0.5}) == 0u);
  BOOST_TEST(perhaps_forgotten(std::vector<double>{0.9, 0.7, 0.5}) == 0u);  // the older the easier
  BOOST_TEST(perhaps_forgotten(std::vector<double>{0.4, 0.7, 0.5}) == 2u);
  BOOST_TEST(perhaps_forgotten(std::vector<double>{0.9, 0.5, 0.6, 0.4, 0.3}) == 3u);
  BOOST_TEST(perhaps_forgotten(std::vector<double>{0.5, 0.5}) == 0u);
}

BOOST_AUTO_TEST_CASE(a_main_agent_meets_itself_everybody_and_whom_it_loses_to) {
  const config::LeagueConfig league = uniform_pfsp();  // 35 % itself, 15 % verification, 50 % everybody
  // It beats all it should: verification becomes self-play.
  check(opponents(league, Kind::main_agent, 0, kOneMain, std::vector<double>{0.9, 0.9, 0.5, 0.3}),
        {0.125, 0.125, 0.125, 0.125, 0.5});
  // One exploiter wins more than 70 %: both are met, `hard` with power 2.
  check(opponents(league, Kind::main_agent, 0, kOneMain, std::vector<double>{0.9, 0.8, 0.5, 0.2}),
        {0.125, 0.125 + 0.15 * 0.04 / 0.68, 0.125, 0.125 + 0.15 * 0.64 / 0.68, 0.35});
  // The older self is harder than the newer one.
  check(opponents(league, Kind::main_agent, 0, kOneMain, std::vector<double>{0.5, 0.9, 0.6, 0.9}),
        {0.125 + 0.15 * 0.25 / 0.41, 0.125, 0.125 + 0.15 * 0.16 / 0.41, 0.125, 0.35});
  // It was harder, but is beaten well enough.
  check(opponents(league, Kind::main_agent, 0, kOneMain, std::vector<double>{0.8, 0.9, 0.85, 0.9}),
        {0.125, 0.125, 0.125, 0.125, 0.5});
}

BOOST_AUTO_TEST_CASE(shares_of_a_main_agent_can_be_chosen) {
  config::LeagueConfig league;
  league.self_play = 1;
  league.verification = 0;
  const std::vector<double> rates = {0.9, 0.1, 0.5, 0.1};
  check(opponents(league, Kind::main_agent, 0, kOneMain, rates), {0, 0, 0, 0, 1});
  league.self_play = 0;
  check(opponents(league, Kind::main_agent, 0, kOneMain, rates),
        {0.01 / 1.88, 0.81 / 1.88, 0.25 / 1.88, 0.81 / 1.88, 0});
  league.self_play = 0.85;
  league.verification = 0.15;
  check(opponents(league, Kind::main_agent, 0, kOneMain, std::vector<double>{0.9, 0.9, 0.5, 0.9}), {0, 0, 0, 0, 1});
}

BOOST_AUTO_TEST_CASE(several_main_agents_meet_each_other) {
  config::LeagueConfig league;
  league.main_agents = 2;
  league.self_play = 1;
  league.verification = 0;
  check(opponents(league, Kind::main_agent, 1, kTwoMains, std::vector<double>{0.6, 0.9, 0.4, 0.5}),
        {0, 0, 0.5, 0, 0.5});
  // The other is out of reach: its past selves, `even`.
  check(opponents(league, Kind::main_agent, 1, kTwoMains, std::vector<double>{0.5, 0.9, 0.2, 0.5}),
        {0.5 * 0.25 / 0.41, 0, 0.5 * 0.16 / 0.41, 0, 0.5});
}

BOOST_AUTO_TEST_CASE(a_main_exploiter_meets_the_newest_main_agents_if_it_has_a_chance) {
  config::LeagueConfig league;
  league.main_agents = 2;
  check(opponents(league, Kind::main_exploiter, 2, kTwoMains, std::vector<double>{0.5, 0.5, 0.11, 0.9}),
        {0, 0, 0.5, 0.5, 0});
  check(opponents(league, Kind::main_exploiter, 2, kTwoMains, std::vector<double>{0.5, 0.5, 0.1, 0.9}),
        {0.5 * 0.25 / 0.34, 0, 0.5 * 0.09 / 0.34, 0.5, 0});
}

BOOST_AUTO_TEST_CASE(a_league_exploiter_meets_everybody_by_pfsp) {
  config::LeagueConfig league;
  league.pfsp_power = 1;
  check(opponents(league, Kind::league_exploiter, 2, kOneMain, std::vector<double>{1, 0.5, 0.25, 0.75}),
        {0, 0.5 / 1.5, 0.75 / 1.5, 0.25 / 1.5, 0});
}

BOOST_AUTO_TEST_SUITE_END()
