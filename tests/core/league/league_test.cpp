#include "core/league/league.hpp"

#include <cmath>
#include <set>

#include "core/league/files.hpp"
#include "core/league/fixture.hpp"

using namespace spar;
using namespace spar::league;
using namespace spar::test;

namespace {

std::vector<std::byte> saved(const League& league) {
  ByteWriter writer;
  league.save(writer);
  return writer.take();
}

/// The number behind the last slash.
int64_t iteration_of(const std::string& name) { return std::stoll(name.substr(name.rfind('/') + 1)); }

std::vector<std::string> names(const League& league) {
  std::vector<std::string> out;
  for (const PastPlayer& player : league.past()) out.push_back(player.name);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(league)

BOOST_AUTO_TEST_CASE(starts_are_the_first_past_players_and_each_iteration_adds_one_of_each) {
  LeagueScript script;
  League league(script.experiment, script.load(), scripted_host());
  const std::vector<std::string> starts = {"main_0/0", "main_exploiter_0/0", "league_exploiter_0/0"};
  BOOST_TEST(names(league) == starts, boost::test_tools::per_element());
  BOOST_TEST(league.iterate({}));
  BOOST_TEST(league.iterate({}));
  BOOST_REQUIRE_EQUAL(league.past().size(), 9u);
  BOOST_TEST(league.past()[3].name == "main_0/1");
  BOOST_TEST(league.past()[8].name == "league_exploiter_0/2");
  BOOST_TEST(league.past()[8].iteration == 2u);
  BOOST_TEST(league.newest(0) == 6u);
  BOOST_TEST(league.iterations() == 2u);
  BOOST_TEST(league.env_steps() == 6 * 24u);
  BOOST_TEST(league.results().players() == 9u);
  for (const double rating : league.elo()) BOOST_TEST(std::abs(rating - 1000) < 1e-9);  // all alike
}

BOOST_AUTO_TEST_CASE(numbers_of_players_can_be_chosen) {
  LeagueScript script;
  script.experiment.league.main_agents = 2;
  script.experiment.league.main_exploiters = 0;
  script.experiment.league.league_exploiters = 1;
  const League league(script.experiment, script.load(), scripted_host());
  const std::vector<std::string> starts = {"main_0/0", "main_1/0", "league_exploiter_0/0"};
  BOOST_TEST(names(league) == starts, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(everybody_meets_everybody_and_the_stronger_have_the_higher_ratings) {
  LeagueScript script;
  script.strength = [](const std::string& by) { return by.starts_with("match/") ? iteration_of(by) : 0; };
  League league(script.experiment, script.load(), scripted_host());
  for (int i = 0; i < 3; ++i) league.iterate({});
  for (size_t i = 0; i < league.past().size(); ++i)
    for (size_t j = 0; j < league.past().size(); ++j) {
      const uint64_t a = league.past()[i].iteration, b = league.past()[j].iteration;
      BOOST_TEST(league.results().win_rate(i, j) == (a > b ? 1.0 : a < b ? 0.0 : 0.5));
    }
  BOOST_TEST(league.elo()[0] == 1000);
  BOOST_TEST(std::abs(league.elo()[1] - 1000) < 1e-9);
  for (size_t i = 3; i < league.past().size(); ++i) BOOST_TEST(league.elo()[i] > league.elo()[i - 3] + 100);
  BOOST_TEST(std::abs(league.results().mean(0) - (2 * 0.5 + 9 * 0.0) / 11) < 1e-12);
  const auto weights = league.matchmaking(2);  // the league exploiter began anew or not: it meets the newest
  BOOST_TEST(weights.back() == 0);
}

BOOST_AUTO_TEST_CASE(both_seats_are_played_in_match_ups) {
  LeagueScript script;
  // The first agent always wins.
  script.environment.reward = [](const Moment&, size_t agent) { return agent == 0 ? 1.0F : -1.0F; };
  League league(script.experiment, script.load(), scripted_host());
  league.iterate({});
  for (const double rate : league.results().win_rates()) BOOST_TEST(rate == 0.5);
}

BOOST_AUTO_TEST_CASE(only_who_is_in_its_phase_learns_and_past_players_only_sample) {
  LeagueScript script;
  script.experiment.league.self_play = 0.5;
  script.experiment.solve.training.any[0].value = 120;
  League league(script.experiment, script.load(), scripted_host());
  league.iterate({});
  std::set<std::string> opponents;
  for (const auto& acted : script.algorithm.acted) {
    const bool learner = acted.by.starts_with("learner/");
    BOOST_TEST(acted.mode == (learner ? uint32_t{SPAR_MODE_EXPLORE} : uint32_t{SPAR_MODE_SAMPLE}), acted.by);
    if (acted.by.starts_with("opponent/")) opponents.insert(LeagueScript::who(acted));
  }
  const std::set<std::string> expected = {"opponent/itself", "opponent/main_0/0", "opponent/main_exploiter_0/0",
                                          "opponent/league_exploiter_0/0"};
  BOOST_TEST(opponents == expected, boost::test_tools::per_element());
  for (const auto& player : league.active()) {
    if (player->kind() == Kind::main_exploiter) continue;  // it has begun anew
    BOOST_TEST(player->learner().buffer_rows() == 120u);
    BOOST_TEST(player->practice().env_steps == 120u);
    BOOST_TEST(player->practice().train_steps == 60u);
    BOOST_TEST(player->practice().episodes == 40u);
  }
  for (const auto& made : script.algorithm.made) {
    const bool acts_only = !made.name.starts_with("learner/");
    BOOST_TEST(made.role == (acts_only ? uint32_t{SPAR_ROLE_ACT} : uint32_t{SPAR_ROLE_TRAIN}), made.name);
  }
}

BOOST_AUTO_TEST_CASE(past_players_play_greedily_on_demand) {
  LeagueScript script;
  script.experiment.league.play = "greedy";
  League league(script.experiment, script.load(), scripted_host());
  league.iterate({});
  for (const auto& acted : script.algorithm.acted)
    if (!acted.by.starts_with("learner/")) BOOST_TEST(acted.mode == uint32_t{SPAR_MODE_GREEDY}, acted.by);
}

BOOST_AUTO_TEST_CASE(exploiters_begin_anew_as_likely_as_they_should) {
  for (const double anew : {0.0, 1.0}) {
    LeagueScript script;
    script.experiment.league.main_exploiter_reset = anew;
    script.experiment.league.league_exploiter_reset = 1 - anew;
    League league(script.experiment, script.load(), scripted_host());
    for (int i = 0; i < 2; ++i) league.iterate({});
    const auto steps = [&](size_t player) { return league.active()[player]->practice().env_steps; };
    BOOST_TEST(steps(0) == 48u);
    BOOST_TEST(steps(1) == (anew > 0 ? 0u : 48u));
    BOOST_TEST(steps(2) == (anew > 0 ? 48u : 0u));
  }
}

BOOST_AUTO_TEST_CASE(an_exploiter_that_beats_all_it_is_to_beat_ends_its_phase) {
  LeagueScript script;
  script.experiment.solve.training.any[0].value = 2'000;
  script.strength = [](const std::string& by) { return by == "learner/main_exploiter_0" ? 1 : 0; };
  League league(script.experiment, script.load(), scripted_host());
  league.iterate({});
  std::map<std::string, double> told(league.phases().begin(), league.phases().end());
  BOOST_TEST(told.at("main_0/env_steps") == 2'000);
  BOOST_TEST(told.at("league_exploiter_0/env_steps") == 2'000);
  // From 1/2 by 2 % of what is left to above 7/10 takes 26 episodes; 100 are the fewest.
  BOOST_TEST(told.at("main_exploiter_0/episodes") == 100);
  BOOST_TEST(told.at("main_exploiter_0/env_steps") == 300);
}

BOOST_AUTO_TEST_CASE(a_saved_league_goes_on_as_if_nothing_had_been) {
  LeagueScript script;
  script.strength = [](const std::string& by) { return by.starts_with("match/") ? iteration_of(by) % 4 : 1; };
  League whole(script.experiment, script.load(), scripted_host());
  whole.iterate({});
  const auto bytes = saved(whole);
  whole.iterate({});

  League again(script.experiment, script.load(), scripted_host());
  ByteReader reader(bytes, "league");
  again.load(reader);
  reader.end();
  BOOST_TEST((saved(again) == bytes));
  BOOST_TEST(again.elo().size() == 6u);
  again.iterate({});
  BOOST_TEST((saved(again) == saved(whole)));
  BOOST_TEST(again.parameters_sha256() == whole.parameters_sha256());
  BOOST_TEST(again.elo() == whole.elo(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_iteration_that_is_given_up_leaves_nothing) {
  LeagueScript script;
  League league(script.experiment, script.load(), scripted_host());
  for (const int patience : {0, 5, 20, 40}) {
    const auto before = saved(league);
    int asked = 0;
    const bool done = league.iterate([&] { return asked++ >= patience; });
    BOOST_TEST(!done);
    BOOST_TEST((saved(league) == before));
  }
  League other(script.experiment, script.load(), scripted_host());
  league.iterate({});
  other.iterate({});
  BOOST_TEST((saved(league) == saved(other)));
  const auto before = saved(league);
  BOOST_TEST(!league.iterate([] { return true; }));
  BOOST_TEST((saved(league) == before));
  BOOST_TEST(league.elo().size() == 6u);
}

BOOST_AUTO_TEST_CASE(the_picture_has_ratings_payoffs_and_matchmaking) {
  LeagueScript script;
  script.strength = [](const std::string& by) { return by.starts_with("match/") ? iteration_of(by) : 0; };
  League league(script.experiment, script.load(), scripted_host());
  BOOST_TEST(!league_json(league).contains("players"));
  league.iterate({});
  const boost::json::object picture = league_json(league);
  BOOST_TEST(picture.at("iteration").to_number<int>() == 1);
  const auto& players = picture.at("players").as_array();
  BOOST_REQUIRE_EQUAL(players.size(), 6u);
  BOOST_TEST(players[4].at("name").as_string() == "main_exploiter_0/1");
  BOOST_TEST(players[4].at("kind").as_string() == "main_exploiter");
  BOOST_TEST(players[4].at("parent").as_string() == "main_exploiter_0");
  BOOST_TEST(players[4].at("elo").to_number<double>() > 1000);
  BOOST_TEST(picture.at("win_rates").as_array()[3].as_array()[0].to_number<double>() == 1);
  BOOST_TEST(picture.at("episodes").to_number<int>() == 4);
  for (const auto& one : picture.at("matchmaking").as_array()) {
    double sum = one.at("itself").to_number<double>();
    for (const auto& weight : one.at("weights").as_array()) sum += weight.to_number<double>();
    BOOST_TEST(std::abs(sum - 1) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(what_no_league_can_be_made_of_is_refused) {
  LeagueScript team;
  team.strategy.groups = {{"team", {0, 1}, SPAR_JOIN_ROWS}};
  BOOST_TEST(error_of([&] { League(team.experiment, team.load(), scripted_host()); }) ==
             "E0308 strategy `test.strategy` plans that several players learn together in the group `team`, and every "
             "player of a league learns alone, at whichever seat it has");

  LeagueScript unknown;
  unknown.experiment.stop.all = {{config::Condition::Measure::exploitability, 0.1, 1}};
  BOOST_TEST(error_of([&] { League(unknown.experiment, unknown.load(), scripted_host()); }) ==
             "E1109 `exploitability` in [stop] is not known in this league, expected play = \"greedy\" in [scenario] "
             "and a game whose tree has at most 50,000 positions");

  LeagueScript idle;
  idle.strategy.next = [](const spar_progress&) { return spar_directive{sizeof(spar_directive), SPAR_DO_COLLECT, 8}; };
  League league(idle.experiment, idle.load(), scripted_host());
  BOOST_TEST(error_of([&] { league.iterate({}); }) ==
             "E1108 there was no update in the phase of `main_0` in iteration 1: [stop.training] ends it after 24 "
             "transitions, before the algorithm has begun to learn");

  LeagueScript outside;
  ScriptedAlgorithm keeps_to_itself;
  outside.experiment.algorithm.options = keeps_to_itself.options();
  const auto load = [&](uint32_t kind, std::string_view id) -> const spar_component& {
    return kind == SPAR_KIND_ALGO ? keeps_to_itself.component() : outside.load()(kind, id);
  };
  BOOST_TEST(error_of([&] { League(outside.experiment, load, scripted_host()); }) ==
             "E1109 algorithm `test.scripted` keeps what it learns outside the host's networks "
             "(SPAR_ALGO_HOSTED_NETWORKS is not set), expected one whose past parameters can play on");
}

BOOST_AUTO_TEST_SUITE_END()
