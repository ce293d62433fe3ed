#include "core/league/matchmaker.hpp"

#include <cmath>
#include <numeric>

#include "core/league/fixture.hpp"
#include "core/rollout/actions.hpp"

using namespace spar;
using namespace spar::league;
using namespace spar::test;

namespace {

const std::vector<PastPlayer> kPast = {{"main_0/0", Kind::main_agent, 0, 0},
                                       {"league_exploiter_0/0", Kind::league_exploiter, 1, 0},
                                       {"main_0/1", Kind::main_agent, 0, 1}};

Matchmaker made(const config::LeagueConfig& league, Kind kind, std::vector<double> rates) {
  return {league, kind, 0, kPast, std::move(rates), Philox(3, "matchmaking")};
}

void note(Matchmaker& matchmaker, size_t opponent, double score, int times) {
  for (int i = 0; i < times; ++i) matchmaker.note(opponent, score);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(matchmaker)

BOOST_AUTO_TEST_CASE(opponents_are_drawn_as_likely_as_they_should_be) {
  const config::LeagueConfig league;
  const std::vector<double> rates = {0.9, 0.2, 0.6};
  Matchmaker matchmaker = made(league, Kind::main_agent, rates);
  const auto expected = opponents(league, Kind::main_agent, 0, kPast, rates);
  std::vector<double> met(4, 0.0);
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) met[matchmaker.draw()] += 1.0 / kDraws;
  for (size_t i = 0; i < met.size(); ++i)  // five standard errors
    BOOST_TEST(std::abs(met[i] - expected[i]) < 5 * std::sqrt(expected[i] * (1 - expected[i]) / kDraws));
}

BOOST_AUTO_TEST_CASE(results_move_the_win_rate_of_their_opponent_alone) {
  const config::LeagueConfig league;
  Matchmaker matchmaker = made(league, Kind::main_agent, {0.5, 0.5, 0.5});
  matchmaker.note(1, 1);
  matchmaker.note(1, 0.5);
  matchmaker.note(3, 1);  // itself
  BOOST_TEST(std::abs(matchmaker.win_rates()[1] - (0.51 + 0.02 * (0.5 - 0.51))) < 1e-12);
  BOOST_TEST(matchmaker.win_rates()[0] == 0.5);
  BOOST_TEST(matchmaker.win_rates()[2] == 0.5);
  BOOST_TEST(matchmaker.episodes() == 3u);
}

BOOST_AUTO_TEST_CASE(a_main_exploiter_is_to_beat_the_newest_main_agents) {
  const config::LeagueConfig league;
  Matchmaker matchmaker = made(league, Kind::main_exploiter, {0.1, 0.1, 0.69});
  note(matchmaker, 2, 1, 99);
  BOOST_TEST(!matchmaker.beats_all());  // too few episodes
  note(matchmaker, 2, 1, 1);
  BOOST_TEST(matchmaker.beats_all());
  note(matchmaker, 2, 0, 100);
  BOOST_TEST(!matchmaker.beats_all());
}

BOOST_AUTO_TEST_CASE(a_league_exploiter_is_to_beat_everybody) {
  const config::LeagueConfig league;
  Matchmaker matchmaker = made(league, Kind::league_exploiter, {0.9, 0.9, 0.5});
  note(matchmaker, 1, 1, 100);
  BOOST_TEST(!matchmaker.beats_all());
  note(matchmaker, 2, 1, 100);
  BOOST_TEST(matchmaker.beats_all());
}

BOOST_AUTO_TEST_CASE(a_main_agent_never_has_enough) {
  const config::LeagueConfig league;
  Matchmaker matchmaker = made(league, Kind::main_agent, {1, 1, 1});
  note(matchmaker, 0, 1, 200);
  BOOST_TEST(!matchmaker.beats_all());
}

BOOST_AUTO_TEST_CASE(copies_that_face_one_opponent_ask_it_together) {
  LeagueScript script;
  script.strength = [](const std::string& by) { return by == "opponent/main_0/0" ? 1 : by == "itself" ? 2 : 3; };
  const Arena arena(script.experiment, script.load(), scripted_host());
  constexpr uint64_t kCopies = 12;
  const auto environment = arena.environment(kCopies, 1, "environment");
  Seating table(*environment, Philox(1, "seats"));
  const config::LeagueConfig league;
  Matchmaker matchmaker = made(league, Kind::main_agent, {0.5, 0.5, 0.5});
  FrozenPolicy itself(arena, "itself", 1, kCopies);
  std::vector<size_t> asked_for;
  DrawnOpponent opponent(
      matchmaker, kPast,
      [&](size_t past) {
        asked_for.push_back(past);
        return std::make_unique<FrozenPolicy>(arena, "opponent/" + kPast[past].name, 1, kCopies);
      },
      itself, table.opponent().port(), kCopies);
  for (uint64_t copy = 0; copy < kCopies; ++copy) opponent.begin(copy);
  std::vector<uint64_t> copies = {0, 1, 2, 4, 5, 7, 8, 9, 10, 11};
  rollout::Batch actions(kCopies);
  rollout::add_action_column(actions, table.opponent().port().action);
  script.algorithm.acted.clear();
  opponent.act(copies, actions);
  BOOST_TEST(asked_for.size() == 3u);  // with this seed everybody is met, each made once
  BOOST_REQUIRE_EQUAL(script.algorithm.acted.size(), 4u);
  std::vector<uint64_t> lanes;
  for (const auto& acted : script.algorithm.acted) {
    BOOST_TEST(acted.mode == uint32_t{SPAR_MODE_SAMPLE});
    BOOST_TEST(std::is_sorted(acted.lanes.begin(), acted.lanes.end()));
    for (const uint8_t first : acted.first) BOOST_TEST(first == 1);
    for (const uint64_t lane : acted.lanes) {
      const auto row = static_cast<size_t>(std::ranges::find(copies, lane) - copies.begin());
      BOOST_TEST(actions.data<int64_t>(0)[row] == script.strength(LeagueScript::who(acted)));
    }
    lanes.insert(lanes.end(), acted.lanes.begin(), acted.lanes.end());
  }
  std::ranges::sort(lanes);
  BOOST_TEST(lanes == copies, boost::test_tools::per_element());

  opponent.act(copies, actions);
  for (const uint8_t first : script.algorithm.acted.back().first) BOOST_TEST(first == 0);
}

BOOST_AUTO_TEST_CASE(who_was_met_is_known_after_the_next_was_drawn) {
  LeagueScript script;
  const Arena arena(script.experiment, script.load(), scripted_host());
  const auto environment = arena.environment(1, 1, "environment");
  Seating table(*environment, Philox(1, "seats"));
  const config::LeagueConfig league;
  Matchmaker matchmaker = made(league, Kind::main_agent, {0.5, 0.5, 0.5}),
             same = made(league, Kind::main_agent, {0.5, 0.5, 0.5});
  FrozenPolicy itself(arena, "itself", 1, 1);
  DrawnOpponent opponent(
      matchmaker, kPast, [&](size_t) { return std::make_unique<FrozenPolicy>(arena, "opponent", 1, 1); }, itself,
      table.opponent().port(), 1);
  opponent.begin(0);
  for (int i = 0; i < 20; ++i) {
    const size_t drawn = same.draw();
    opponent.begin(0);
    BOOST_TEST(opponent.met(0) == drawn);
  }
}

BOOST_AUTO_TEST_SUITE_END()
