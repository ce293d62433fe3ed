// Leagues, through the program.
#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "host/spar/support.hpp"

namespace {

using spar::test::json_lines;
using spar::test::read_file;
using spar::test::Workplace;

double real(const boost::json::value& value) { return value.to_number<double>(); }
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Kuhn poker by small networks of DQN, greedy, which is judged exactly.
const std::string kKuhnLeague =
    "name = \"kuhn\"\n[env]\nid = \"kuhn_poker\"\ncount = 4\n[algorithm]\nid = \"dqn\"\nhidden_layers = [16]\n"
    "batch_size = 32\nwarm_up = 50\nbuffer_size = 1_000\nupdate_freq = 4\nn_steps = 1\n[scenario]\nid = \"league\"\n"
    "play = \"greedy\"\n[stop]\nany = [{ iterations = 3 }]\ntraining.any = [{ env_steps = 400 }]\n[checkpoint]\n"
    "every = 1\n";

struct Played {
  Played() {
    workplace.directory.write("kuhn.toml", kKuhnLeague);
    result = workplace.spar({"train", "kuhn.toml", "--json"});
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
    run = workplace.only_run();
  }
  Workplace workplace;
  spar::test::ProcessResult result;
  std::filesystem::path run;
};
const Played& played() {
  static const Played once;
  return once;
}

BOOST_AUTO_TEST_SUITE(league_runs)

BOOST_AUTO_TEST_CASE(every_iteration_has_a_line_with_ratings_and_phases) {
  const auto lines = json_lines(read_file(played().run / "seed-1/metrics.jsonl"));
  BOOST_REQUIRE_EQUAL(lines.size(), 3u);
  for (size_t i = 0; i < lines.size(); ++i) {
    BOOST_TEST(real(lines[i].at("players")) == 3.0 * static_cast<double>(i + 2));
    BOOST_TEST(real(lines[i].at("main_0/env_steps")) == 400);
    for (const std::string player : {"main_0", "main_exploiter_0", "league_exploiter_0"}) {
      BOOST_TEST(std::isfinite(real(lines[i].at("elo/" + player))));
      const double rate = real(lines[i].at("win_rate/" + player));
      BOOST_TEST((rate >= 0 && rate <= 1));
      BOOST_TEST(real(lines[i].at(player + "/train_steps")) > 0);
      BOOST_TEST(lines[i].contains(player + "/loss/q"));
    }
    BOOST_TEST(real(lines[i].at("exploitability")) == real(lines[i].at("nash_conv")) / 2);
    BOOST_TEST(real(lines[i].at("exploitability")) > 0);  // greedy play of a game whose equilibria are mixed
  }
}

BOOST_AUTO_TEST_CASE(the_summary_and_the_picture_agree) {
  const auto end = json_lines(played().result.out).back();
  BOOST_TEST(end.at("stop_reason").as_string() == "iterations");
  BOOST_TEST(real(end.at("iterations")) == 3);
  BOOST_TEST(real(end.at("env_steps")) > 3 * 400);
  const auto picture = boost::json::parse(read_file(played().run / "seed-1/league.json")).as_object();
  const auto& players = picture.at("players").as_array();
  BOOST_REQUIRE_EQUAL(players.size(), 12u);
  BOOST_TEST(players[9].at("name").as_string() == "main_0/3");
  BOOST_TEST(std::abs(real(players[9].at("elo")) - real(end.at("elo"))) < 1e-9);
  BOOST_TEST(real(players[0].at("elo")) == 1000);
  BOOST_TEST(real(picture.at("episodes")) == 0);  // exact
  const auto& rates = picture.at("win_rates").as_array();
  for (size_t i = 0; i < 12; ++i)
    for (size_t j = 0; j < 12; ++j)
      BOOST_TEST(std::abs(real(rates[i].as_array()[j]) + real(rates[j].as_array()[i]) - 1) < 1e-12);
  const auto shown = played().workplace.spar({"runs", "show", "@last"});
  BOOST_TEST(holds(shown.out, "iterations  3 in "), shown.out);
  BOOST_TEST(holds(shown.out, "Elo         "), shown.out);
  BOOST_TEST(holds(shown.out, " of greedy play"), shown.out);
}

BOOST_AUTO_TEST_CASE(the_newest_main_agent_plays_against_others_and_against_people) {
  const Workplace& workplace = played().workplace;
  const auto result = workplace.spar({"eval", "@last", "random", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  const auto line = json_lines(result.out).at(0);
  BOOST_TEST(real(line.at("policies").as_array()[0].at("step")) == 3);
  const auto& exact = line.at("returns").as_array()[0].at("exact").as_array();
  // What it earns from a best response on both sides cannot be more than its value against itself.
  BOOST_TEST(std::abs(real(exact[1].as_array()[1]) - 0.125) < 1e-12);  // uniform play
  BOOST_TEST(std::abs(real(exact[0].as_array()[0])) <= 2);
  const auto earlier = workplace.spar({"eval", "@last", "random", "--checkpoint", "2", "--json"});
  BOOST_TEST_REQUIRE(earlier.exit_code == 0, earlier.err);
  BOOST_TEST(real(json_lines(earlier.out).at(0).at("policies").as_array()[0].at("step")) == 2);
  const auto alone = workplace.spar({"eval", "@last"});
  BOOST_TEST(alone.exit_code == 2);
  BOOST_TEST(holds(alone.err, "error[E0404]: `spar eval` of a league alone is not offered\n"), alone.err);
  spar::test::Command command = workplace.command({"play", "@last", "--seed", "3"});
  command.input = "0\n0\nq\n";
  const auto game = spar::test::run(command);
  BOOST_TEST(game.exit_code == 0, game.err);
  BOOST_TEST(holds(game.out, "against kuhn-"), game.out);
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_numbers_and_another_gives_others) {
  const Workplace again, other;
  for (const Workplace* workplace : {&again, &other}) workplace->directory.write("kuhn.toml", kKuhnLeague);
  BOOST_TEST_REQUIRE(again.spar({"train", "kuhn.toml"}).exit_code == 0);
  BOOST_TEST_REQUIRE(other.spar({"train", "kuhn.toml", "--seed", "2"}).exit_code == 0);
  const std::string first = read_file(played().run / "seed-1/metrics.jsonl");
  BOOST_TEST(read_file(again.only_run() / "seed-1/metrics.jsonl") == first);
  BOOST_TEST(read_file(other.only_run() / "seed-2/metrics.jsonl") != first);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_interrupted_and_resumed_equals_one_that_is_not) {
  const std::vector<std::string> typed = {"train", "tictactoe-league", "--json",
                                          "stop={any=[{iterations=4}],training={any=[{env_steps=6_000}]}}"};
  const Workplace whole, halves;
  const auto expected = whole.spar(typed);
  BOOST_TEST_REQUIRE(expected.exit_code == 0, expected.err);
  spar::test::Process process(halves.command(typed));
  BOOST_TEST_REQUIRE(process.wait_for("\"event\":\"progress\""));  // in the second iteration or later
  process.send(SIGINT);
  const auto stopped = process.finish();
  BOOST_TEST_REQUIRE(stopped.exit_code == 130, stopped.err);
  const auto resumed = halves.spar({"resume", "@last", "--json"});
  BOOST_TEST_REQUIRE(resumed.exit_code == 0, resumed.err);
  BOOST_TEST(json_lines(resumed.out).back().at("parameters_sha256") ==
             json_lines(expected.out).back().at("parameters_sha256"));
  for (const char* file : {"seed-1/metrics.jsonl", "seed-1/league.json"})
    BOOST_TEST(read_file(halves.only_run() / file) == read_file(whole.only_run() / file), file);
  const auto changed = halves.spar({"resume", "--inexact", "@last", "stop.any=[{iterations=5}]"});
  BOOST_TEST(changed.exit_code == 2);
  BOOST_TEST(holds(changed.err, "error[E0508]: the settings of a league cannot be changed on its way"), changed.err);
}

BOOST_AUTO_TEST_CASE(games_without_turns_and_with_sums_are_played_too) {
  for (const std::string game : {"rock_paper_scissors", "prisoners_dilemma"}) {
    const Workplace workplace;
    workplace.directory.write("kuhn.toml", kKuhnLeague);
    const auto result = workplace.spar({"train", "kuhn.toml", "env.id=" + game, "stop.any=[{iterations=1}]", "--json"});
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
    BOOST_TEST(json_lines(result.out).back().contains("nash_conv"));
  }
}

BOOST_AUTO_TEST_CASE(several_seeds_are_compared_by_their_ratings) {
  const Workplace workplace;
  workplace.directory.write("kuhn.toml", kKuhnLeague);
  const auto result = workplace.spar({"train", "kuhn.toml", "stop.any=[{iterations=1}]", "--seeds", "2", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  const auto all = json_lines(result.out).back();
  double sum = 0;
  for (const auto& seed : all.at("seeds").as_array()) sum += real(seed.at("elo"));
  BOOST_TEST(std::abs(sum / 2 - real(all.at("elo"))) < 1e-9);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_a_league_is_refused_in_one_sentence) {
  const Workplace workplace;
  workplace.directory.write("kuhn.toml", kKuhnLeague);
  const auto refusal = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> words = {"train", "kuhn.toml"};
    words.insert(words.end(), settings.begin(), settings.end());
    const auto result = workplace.spar(words);
    BOOST_TEST(result.exit_code == 2, result.err);
    return result.err;
  };
  BOOST_TEST(
      refusal({"env.id=CartPole-v1"}) ==
      "error[E1109]: environment `org.spar.classic/CartPole-v1` has 1 agent, expected 2: the players of a league "
      "meet in pairs\n   = choose an environment of two agents, e.g. tic_tac_toe\n");
  BOOST_TEST(holds(refusal({"env.id=simple_spread_v3"}), "has 3 agents, expected 2: the players of a league"));
  const std::string unequal = refusal({"env.id=simple_speaker_listener_v4"});
  BOOST_TEST(holds(unequal, "error[E1109]: environment `org.spar.mpe/simple_speaker_listener_v4`: the agents "),
             unequal);
  BOOST_TEST(holds(unequal, "cannot share a policy, because their spaces differ"), unequal);
  BOOST_TEST(holds(unequal, "a player of a league is one policy for both seats"), unequal);
  BOOST_TEST(holds(refusal({"strategy={id=\"team\"}"}), "error[E0308]: strategy `org.spar.team` plans that several "));
  BOOST_TEST(
      holds(refusal({"strategy.overlap=true"}), "error[E0308]: strategy `org.spar.independent` lets actors run"));
  BOOST_TEST(holds(refusal({"scenario.play=sample", "stop.any=[{exploitability=0.1}]"}),
                   "error[E1109]: `exploitability` in [stop] is not known in this league"));
  BOOST_TEST(holds(refusal({"--profile"}), "error[E0403]: `--profile` has no meaning here: the phases of a league"));
  BOOST_TEST(!std::filesystem::exists(workplace.directory.path() / "runs/kuhn"));
  BOOST_TEST(workplace.spar({"check", "tictactoe-league"})
                 .out.starts_with("tictactoe-league is sound: league of ppo on tic_tac_toe, "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
