#include "core/match/cross_play.hpp"

#include <cmath>

#include "core/game/fixture.hpp"
#include "core/game/mixture.hpp"
#include "core/game/mixture_opponent.hpp"
#include "core/run/statistics.hpp"
#include "core/train/plugins.hpp"

using namespace spar;
using namespace spar::match;
using namespace spar::test;

namespace {

Plugins& plugins() {
  static Plugins instance({std::filesystem::path(SPAR_PLUGINS)});
  return instance;
}

/// A run that plays this environment.
config::Experiment playing(const std::string& id, const std::map<std::string, OptionData>& options = {}) {
  config::Experiment out;
  const auto component = std::make_shared<const config::Component>(plugins().registry().schema(SPAR_KIND_ENV, id));
  out.env.id = component->id;
  out.env.options = config::default_options(component);
  for (size_t i = 0; i < component->params.size(); ++i)
    if (const auto given = options.find(component->params[i].name); given != options.end())
      out.env.options.values[i].data = given->second;
  return out;
}

/// Always the highest legal action in Kuhn poker: bets and calls.
class Bold : public Policy {
 public:
  std::unique_ptr<rollout::Opponent> sit(const rollout::Environment& environment, size_t agent,
                                         Philox random) override {
    const game::Player& player = kuhn().players[agent];
    const auto plan = game::to_plan(player, bold(player));
    populations_[agent] = {{game::sparse(plan)}, {1.0}};
    index_[agent] = game::index_of(player);
    return std::make_unique<game::MixtureOpponent>(player, index_[agent], agent, populations_[agent].strategies,
                                                   populations_[agent].mixture, environment, random);
  }
  game::Plan plan(const game::SeenGame& game, size_t player) override {
    return game::to_plan(game.form.players[player], bold(game.form.players[player]));
  }

 private:
  static game::Behaviour bold(const game::Player& player) {
    return game::always(player, [](size_t, std::span<const int64_t> actions) { return actions.size() - 1; });
  }
  game::Population populations_[2];
  game::InfosetIndex index_[2];
};

std::vector<Entrant> bold_and_random() {
  std::vector<Entrant> out;
  out.push_back({"bold", std::make_unique<Bold>()});
  out.push_back({"random", uniform_policy()});
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cross_play_of_policies)

BOOST_AUTO_TEST_CASE(small_trees_are_computed_and_every_policy_sits_at_every_seat) {
  const auto entrants = bold_and_random();
  const CrossPlay result = cross_play(plugins().host(), playing("kuhn_poker"), entrants, {});
  BOOST_TEST(result.exact);
  BOOST_TEST(result.zero_sum);
  BOOST_TEST(result.episodes == 0u);
  BOOST_TEST(result.agents == (std::vector<std::string>{"player_0", "player_1"}), boost::test_tools::per_element());
  BOOST_REQUIRE_EQUAL(result.matches.size(), 4u);
  const std::vector<std::vector<size_t>> seats = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  for (size_t i = 0; i < 4; ++i) {
    BOOST_TEST(result.matches[i].seats == seats[i], boost::test_tools::per_element());
    BOOST_TEST(result.matches[i].returns.empty());
    BOOST_TEST(std::abs(result.matches[i].exact[0] + result.matches[i].exact[1]) < 1e-12);
  }
  // Both bet and call: the higher card wins 2, and either may have it. Against a coin a bet earns (1 + 0) / 2 = 1/2.
  // Who opens at random and meets a caller: half of the games a bet is made, for nothing on average; after a pass the
  // other bets, and half of the time a fold costs 1, half of the time nothing on average: -1/4. Uniform play: 1/8.
  const std::vector<double> expected = {0, 0.5, -0.25, 0.125};
  for (size_t i = 0; i < 4; ++i) BOOST_TEST(std::abs(result.matches[i].exact[0] - expected[i]) < 1e-12, i);
}

BOOST_AUTO_TEST_CASE(what_is_played_comes_close_to_what_is_computed) {
  const auto entrants = bold_and_random();
  CrossPlayRequest request;
  request.episodes = 20'000;
  request.first_seed = 5;
  const CrossPlay result = cross_play(plugins().host(), playing("kuhn_poker"), entrants, request);
  BOOST_TEST(result.episodes == 20'000u);
  for (const MatchUp& match : result.matches) {
    BOOST_REQUIRE_EQUAL(match.returns.size(), 2u);
    BOOST_REQUIRE_EQUAL(match.returns[0].size(), 20'000u);
    // Returns are within 2: the standard error is below .015.
    BOOST_TEST(std::abs(run::mean(match.returns[0]) - match.exact[0]) < 0.05);
  }
}

BOOST_AUTO_TEST_CASE(a_match_up_depends_on_the_seed_and_on_who_plays_and_on_nobody_else) {
  CrossPlayRequest request;
  request.episodes = 50;
  request.first_seed = 7;
  const auto run = playing("kuhn_poker");
  const auto both = bold_and_random();
  std::vector<Entrant> alone;
  alone.push_back({"random", uniform_policy()});
  const CrossPlay many = cross_play(plugins().host(), run, both, request);
  const CrossPlay one = cross_play(plugins().host(), run, alone, request);
  BOOST_TEST((many.matches[3].returns == one.matches[0].returns));
  request.first_seed = 8;
  BOOST_TEST((cross_play(plugins().host(), run, alone, request).matches[0].returns != one.matches[0].returns));
}

BOOST_AUTO_TEST_CASE(large_games_are_played) {
  std::vector<Entrant> entrants;
  entrants.push_back({"random", uniform_policy()});
  const CrossPlay result = cross_play(plugins().host(), playing("tic_tac_toe"), entrants, {});
  BOOST_TEST(!result.exact);
  BOOST_TEST(result.zero_sum);
  BOOST_TEST(result.episodes == kMatchEpisodes);
  // Who begins wins 131,184 of the 255,168 games and loses 77,904; drawn move by move it is .585 to .288.
  BOOST_TEST(run::mean(result.matches[0].returns[0]) > 0);
}

BOOST_AUTO_TEST_CASE(games_of_more_than_two_are_played_in_every_order_of_seats) {
  std::vector<double> payoffs(24);
  for (size_t i = 0; i < 24; ++i) payoffs[i] = static_cast<double>(i / 8);  // agent k is paid k, whatever is chosen
  const auto run = playing("matrix", {{"actions", std::vector<int64_t>{2, 2, 2}}, {"payoffs", payoffs}});
  std::vector<Entrant> entrants;
  for (const char* name : {"a", "b"}) entrants.push_back({name, uniform_policy()});
  CrossPlayRequest request;
  request.episodes = 3;
  const CrossPlay result = cross_play(plugins().host(), run, entrants, request);
  BOOST_REQUIRE_EQUAL(result.matches.size(), 8u);
  BOOST_TEST(result.matches[6].seats == (std::vector<size_t>{1, 1, 0}), boost::test_tools::per_element());
  BOOST_TEST(!result.zero_sum);
  for (const MatchUp& match : result.matches)
    for (size_t agent = 0; agent < 3; ++agent) {
      BOOST_TEST(std::abs(match.exact[agent] - static_cast<double>(agent)) < 1e-12);
      BOOST_TEST(run::mean(match.returns[agent]) == static_cast<double>(agent));
    }
}

BOOST_AUTO_TEST_CASE(who_cannot_meet_is_told_in_one_sentence) {
  const auto kuhn_run = playing("kuhn_poker"), board = playing("tic_tac_toe"),
             other = playing("kuhn_poker", {{"tensor", std::string("observation")}});
  BOOST_TEST(refusal_of([&] {
               check_one_environment({"a", "b"}, {kuhn_run, board});
             }) ==
             "E0412 the run `b` plays `org.spar.games/tic_tac_toe`, expected `org.spar.games/kuhn_poker` as `a`: "
             "policies can only meet in one environment");
  BOOST_TEST(refusal_of([&] {
               check_one_environment({"a", "b", "c"}, {kuhn_run, kuhn_run, other});
             }) ==
             "E0412 the run `c` has env.tensor = \"observation\", expected \"information\" as `a`: policies can only "
             "meet in one environment");
  BOOST_TEST(refusal_of([&] { check_one_environment({"a", "b"}, {other, other}); }) == "");
  const auto entrants = bold_and_random();
  BOOST_TEST(refusal_of([&] { cross_play(plugins().host(), playing("CartPole-v1"), entrants, {}); }) ==
             "E0412 environment `org.spar.classic/CartPole-v1` has one agent, `agent_0`: nobody can meet there");
  std::vector<Entrant> crowd;
  for (int i = 0; i < 101; ++i) crowd.push_back({"random", uniform_policy()});
  BOOST_TEST(refusal_of([&] { cross_play(plugins().host(), kuhn_run, crowd, {}); }) ==
             "E0412 101 policies at 2 seats make more than 10000 match-ups");
}

BOOST_AUTO_TEST_SUITE_END()
