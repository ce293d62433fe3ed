// Several policies against each other, and a person against one, through the program.
#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "host/spar/support.hpp"

namespace {

using spar::test::json_lines;
using spar::test::Workplace;

double as_number(const boost::json::value& value) { return value.to_number<double>(); }

const std::string kRival =
    "count = 4\n[algorithm]\nid = \"dqn\"\nhidden_layers = [8]\nbatch_size = 16\nwarm_up = 50\nbuffer_size = 500\n"
    "[stop]\nany = [{ env_steps = 300 }]\n[eval]\nevery = 300\nepisodes = 2\n";

/// One run of each kind: Kuhn poker by PSRO, by CFR and by DQN, tic-tac-toe by DQN.
struct Rivals {
  Rivals() {
    train({"kuhn-psro-exact", "name=psro", "stop.any=[{iterations=12}]"});
    train({"kuhn-cfr", "name=cfr", "stop.any=[{iterations=100}]"});
    workplace.directory.write("kuhn.toml", "name = \"dqn\"\n[env]\nid = \"kuhn_poker\"\n" + kRival);
    train({"kuhn.toml"});
    workplace.directory.write("board.toml", "name = \"board\"\n[env]\nid = \"tic_tac_toe\"\n" + kRival);
    train({"board.toml"});
  }
  void train(std::vector<std::string> words) {
    words.insert(words.begin(), "train");
    const auto result = workplace.spar(words);
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  }
  Workplace workplace;
};

const Workplace& rivals() {
  static Rivals once;
  return once.workplace;
}

spar::test::ProcessResult play_typed(const Workplace& workplace, std::vector<std::string> words,
                                     const std::string& typed) {
  words.insert(words.begin(), "play");
  spar::test::Command command = workplace.command(std::move(words));
  command.input = typed;
  return spar::test::run(command);
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

BOOST_AUTO_TEST_SUITE(match_ups)

BOOST_AUTO_TEST_CASE(small_games_give_the_exact_matrix_of_all_policies_at_all_seats) {
  const auto result = rivals().spar({"eval", "psro", "cfr", "dqn", "random", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  const auto line = json_lines(result.out).at(0);
  BOOST_TEST(line.at("event").as_string() == "cross_play");
  BOOST_TEST(line.at("environment").as_string() == "org.spar.games/kuhn_poker");
  BOOST_TEST(line.at("zero_sum").as_bool());
  BOOST_TEST(as_number(line.at("episodes")) == 0);
  const auto& policies = line.at("policies").as_array();
  BOOST_REQUIRE_EQUAL(policies.size(), 4u);
  BOOST_TEST(policies[0].at("name").as_string().starts_with("psro-"));
  BOOST_TEST(as_number(policies[0].at("step")) == 12);
  BOOST_TEST(as_number(policies[2].at("step")) == 300);
  BOOST_TEST(policies[3].at("name").as_string() == "random");
  const auto& returns = line.at("returns").as_array();
  BOOST_REQUIRE_EQUAL(returns.size(), 2u);
  BOOST_TEST(!returns[0].as_object().contains("mean"));
  const auto& first = returns[0].at("exact").as_array();
  BOOST_REQUIRE_EQUAL(first.size(), 4u);
  for (size_t row = 0; row < 4; ++row)
    for (size_t column = 0; column < 4; ++column)
      BOOST_TEST(std::abs(as_number(first[row].as_array()[column]) +
                          as_number(returns[1].at("exact").as_array()[row].as_array()[column])) < 1e-12);
  BOOST_TEST(std::abs(as_number(first[3].as_array()[3]) - 0.125) < 1e-12);    // uniform play
  BOOST_TEST(std::abs(as_number(first[0].as_array()[0]) + 1.0 / 18) < 0.05);  // near the equilibrium
  // An equilibrium need not earn more from uniform play than others do; at the second seat it happens to.
  BOOST_TEST(as_number(first[3].as_array()[0]) < as_number(first[3].as_array()[3]));
}

BOOST_AUTO_TEST_CASE(people_read_a_table_and_episodes_are_played_on_demand) {
  const std::vector<std::string> typed = {"eval", "psro", "random", "--episodes", "400", "--seed", "3"};
  const auto result = rivals().spar(typed);
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  BOOST_TEST(result.out.starts_with("kuhn_poker: exact expected returns of player_0; rows play player_0, columns play "
                                    "player_1\n"),
             result.out);
  BOOST_TEST(says(result.out, "kuhn_poker: mean returns of player_0 over 400 episodes [95 % interval]; rows play "),
             result.out);
  BOOST_TEST(says(result.out, "\nrandom "), result.out);
  BOOST_TEST(!says(result.out, "returns of player_1"), result.out);  // the same with the other sign
  BOOST_TEST(rivals().spar(typed).out == result.out);
  BOOST_TEST(rivals().spar({"eval", "psro", "random", "--episodes", "400", "--seed", "4"}).out != result.out);

  const auto line = json_lines(rivals().spar({"eval", "psro", "random", "--episodes", "400", "--json"}).out).at(0);
  const auto& first = line.at("returns").as_array()[0];
  for (size_t row = 0; row < 2; ++row)
    for (size_t column = 0; column < 2; ++column) {
      const auto at = [&](const char* what) { return first.at(what).as_array()[row].as_array()[column]; };
      const auto ci = at("ci").as_array();
      BOOST_TEST((as_number(ci[0]) <= as_number(at("mean")) && as_number(at("mean")) <= as_number(ci[1])));
      BOOST_TEST(std::abs(as_number(at("mean")) - as_number(at("exact"))) < 0.4);  // four standard errors
    }
}

BOOST_AUTO_TEST_CASE(large_games_are_played_with_their_masks) {
  const auto result = rivals().spar({"eval", "board", "random", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  const auto line = json_lines(result.out).at(0);
  BOOST_TEST(as_number(line.at("episodes")) == 100);
  BOOST_TEST(!line.at("returns").as_array()[0].as_object().contains("exact"));
  BOOST_TEST(line.at("returns").as_array()[0].at("agent").as_string() == "player_1");
  const auto table = rivals().spar({"eval", "board", "random", "--episodes", "5"});
  BOOST_TEST(table.out.starts_with("tic_tac_toe: mean returns of player_1 over 5 episodes [95 % interval]; "),
             table.out);
}

BOOST_AUTO_TEST_CASE(policies_that_cannot_meet_are_refused_in_one_sentence) {
  const auto refusal = [](std::vector<std::string> words, int exit_code) {
    words.insert(words.begin(), "eval");
    const auto result = rivals().spar(words);
    BOOST_TEST(result.exit_code == exit_code, result.err);
    BOOST_TEST(result.out == "");
    return result.err;
  };
  const std::string environments = refusal({"psro", "board"}, 2);
  BOOST_TEST(environments.starts_with("error[E0412]: the run `board-"), environments);
  BOOST_TEST(says(environments, "` plays `org.spar.games/tic_tac_toe`, expected `org.spar.games/kuhn_poker` as `psro-"),
             environments);
  BOOST_TEST(refusal({"random", "random"}, 2) ==
             "error[E0412]: `random` alone names no environment, expected at least one run\n"
             "   = e.g. spar eval @last random\n");
  BOOST_TEST(refusal({"psro", "nobody"}, 2).starts_with("error[E0601]: "));
  BOOST_TEST(
      says(refusal({"psro", "dqn", "--checkpoint", "77"}, 1), "error[E0503]: there is no checkpoint of step 77"));
}

BOOST_AUTO_TEST_CASE(a_team_that_acts_as_one_has_no_policy_for_a_single_seat) {
  const Workplace workplace;
  const auto trained = workplace.spar({"train", "climbing-team-dqn", "name=team", "stop.any=[{env_steps=300}]"});
  BOOST_TEST_REQUIRE(trained.exit_code == 0, trained.err);
  const auto result = workplace.spar({"eval", "team", "random"});
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(says(result.err, "error[E0412]: the run `"), result.err);
  BOOST_TEST(says(result.err, "as one, expected a policy for every agent\n"), result.err);
  BOOST_TEST(says(result.err, "= name runs that were not trained with mode = \"joint\"\n"), result.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(play_by_hand)

BOOST_AUTO_TEST_CASE(a_script_of_moves_plays_a_game_and_wrong_moves_are_asked_again) {
  // Every number in turn: those that are taken are refused, and somebody wins or the board is full.
  std::string typed = "x\n4 \n4\n9\n";
  for (const char* round : {"0\n1\n2\n3\n5\n6\n7\n8\n", "0\n1\n2\n3\n5\n6\n7\n8\n"}) typed += round;
  const auto result = play_typed(Workplace(), {"tic_tac_toe", "--seed", "1"}, typed);
  BOOST_TEST(result.exit_code == 0, result.err);
  BOOST_TEST(result.err == "");
  BOOST_TEST(
      result.out.starts_with("tic_tac_toe: you are player_1, against random; q ends\n\nyou are X\n 0 | 1 | 2 \n"),
      result.out);
  BOOST_TEST(says(result.out, "moves: 0 top left, 1 top, 2 top right, 3 left, 4 centre, 5 right, "), result.out);
  BOOST_TEST(says(result.out,
                  "your move: x\n`x` is not a legal move: expected 0, 1, 2, 3, 4, 5, 6, 7 or 8, or q to end\n"
                  "your move: 4 \nplayer_2 plays "),
             result.out);
  BOOST_TEST(says(result.out, "\nyour move: 4\n`4` is not a legal move: expected "), result.out);
  const bool ended = says(result.out, "you win: you +1, player_2 -1\n") ||
                     says(result.out, "you lose: you -1, player_2 +1\n") ||
                     says(result.out, "a draw: you 0, player_2 0\n");
  BOOST_TEST(ended, result.out);
  BOOST_TEST(says(result.out, "again? (y/n) "), result.out);
  BOOST_TEST(!says(result.out, "\x1b"), result.out);  // no colour where nobody looks
}

BOOST_AUTO_TEST_CASE(the_same_seed_is_the_same_game_and_others_are_not) {
  const std::string typed = "1\n1\nn\n";
  const auto a = play_typed(Workplace(), {"kuhn_poker", "--seed", "5"}, typed);
  BOOST_TEST(play_typed(Workplace(), {"kuhn_poker", "--seed", "5"}, typed).out == a.out);
  bool other = false;
  for (const char* seed : {"6", "7", "8", "9", "10"})
    other = other || play_typed(Workplace(), {"kuhn_poker", "--seed", seed}, typed).out != a.out;
  BOOST_TEST(other);
}

BOOST_AUTO_TEST_CASE(any_seat_against_mixtures_and_learners) {
  for (const char* run : {"psro", "cfr", "dqn"}) {
    const auto result = play_typed(rivals(), {run, "--seat", "1", "--seed", "3"}, "1\nyes\n1\nno\n");
    BOOST_TEST(result.exit_code == 0, result.err);
    BOOST_TEST(says(result.out, std::string("kuhn_poker: you are player_1, against ") + run + "-"), result.out);
    BOOST_TEST(says(result.out, "player_0 plays "), result.out);
    BOOST_TEST(says(result.out, "in the pot: you "), result.out);
    BOOST_TEST(says(result.out, "again? (y/n) no\n"), result.out);
    BOOST_TEST(says(result.out, "after 2 games: you "), result.out);
  }
  const auto named = play_typed(rivals(), {"board", "--seat", "player_2"}, "q\n");
  BOOST_TEST(says(named.out, "tic_tac_toe: you are player_2, against board-"), named.out);
  BOOST_TEST(says(named.out, "you are O\n"), named.out);
}

BOOST_AUTO_TEST_CASE(everybody_chooses_at_once_in_a_matrix_game) {
  const auto result = play_typed(Workplace(), {"rock_paper_scissors", "--seed", "1"}, "0\nmaybe\nn\n");
  BOOST_TEST(result.exit_code == 0, result.err);
  BOOST_TEST(says(result.out, "moves: 0 rock, 1 paper, 2 scissors\nyour move: 0\nplayer_1 plays "), result.out);
  BOOST_TEST(says(result.out, "round 1: you rock, player_1 "), result.out);
  BOOST_TEST(says(result.out, "`maybe` is no answer: expected y or n\nagain? (y/n) n\n"), result.out);
  const auto dilemma = play_typed(Workplace(), {"prisoners_dilemma", "--seed", "1"}, "1\nn\n");
  BOOST_TEST(says(dilemma.out, "the game is over: you "), dilemma.out);  // nobody wins what the other loses
}

BOOST_AUTO_TEST_CASE(machines_read_one_line_for_each_game) {
  const auto result =
      play_typed(Workplace(), {"leduc_poker", "--seed", "2", "--json"}, "1\n1\n1\n1\ny\n0\n1\n1\n1\n1\nn\n");
  BOOST_TEST(result.exit_code == 0, result.err);
  const auto lines = json_lines(result.out);
  BOOST_TEST_REQUIRE(lines.size() >= 1u);
  BOOST_TEST(lines[0].at("event").as_string() == "game");
  BOOST_TEST(as_number(lines[0].at("seed")) == 2);
  BOOST_TEST(lines[0].at("seat").as_string() == "player_0");
  BOOST_TEST(lines[0].at("moves").as_array()[0].as_array()[0].as_string() == "player_0");
  BOOST_TEST(as_number(lines[0].at("returns").at("player_0")) + as_number(lines[0].at("returns").at("player_1")) == 0);
  BOOST_TEST(says(result.err, "your card: "), result.err);
}

BOOST_AUTO_TEST_CASE(q_and_the_end_of_input_end_it) {
  for (const char* typed : {"q\n", "quit", "", "4\n"}) {
    const auto result = play_typed(Workplace(), {"tic_tac_toe", "--seed", "1"}, typed);
    BOOST_TEST(result.exit_code == 0, result.err);
    BOOST_TEST(result.out.ends_with("\n"), result.out);
    BOOST_TEST(!says(result.out, "again?"), result.out);
  }
}

BOOST_AUTO_TEST_CASE(signals_end_it_with_their_code) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 75}}) {
    Workplace workplace;
    spar::test::Command command = workplace.command({"play", "connect_four"});
    command.input_stays_open = true;
    spar::test::Process process(command);
    BOOST_TEST_REQUIRE(process.wait_for("your move:"));
    process.send(signal);
    const auto result = process.finish();
    BOOST_TEST(result.exit_code == code);
    BOOST_TEST(result.out.ends_with("\n"), result.out);
    BOOST_TEST(result.seconds < 10);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_played_is_refused_in_one_sentence) {
  const auto refusal = [](std::vector<std::string> words) {
    const auto result = play_typed(Workplace(), std::move(words), "");
    BOOST_TEST(result.exit_code == 2, result.err);
    BOOST_TEST(result.out == "");
    return result.err;
  };
  BOOST_TEST(refusal({"CartPole-v1"}) ==
             "error[E0413]: environment `org.spar.classic/CartPole-v1` cannot be drawn: it does not offer "
             "spar.env.text/1\n   = games that can: spar plugin info org.spar.games\n");
  BOOST_TEST(refusal({"chess"}) ==
             "error[E0601]: there is neither a run nor an environment `chess`\n   = `spar runs` lists the runs, `spar "
             "plugin list` the environments; e.g. spar play tic_tac_toe\n");
  BOOST_TEST(refusal({"tic_tac_toe", "--seat", "2"}) ==
             "error[E0403]: `--seat` must be 0 (player_1) or 1 (player_2) in environment `org.spar.games/tic_tac_toe`, "
             "found `2`\n   = e.g. --seat 1\n");
  BOOST_TEST(refusal({}) ==
             "error[E0403]: `spar play` wants a run or an environment, found 0\n"
             "   = e.g. spar play tic_tac_toe, or spar play @last\n");
  BOOST_TEST(refusal({"tic_tac_toe", "--checkpoint", "newest"})
                 .starts_with("error[E0403]: `--checkpoint` must be best, last or a step, found `newest`\n"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
