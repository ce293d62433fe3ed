// Runs that solve a game, through the program.
#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <thread>

#include "host/spar/support.hpp"

namespace {

using spar::test::json_lines;
using spar::test::read_file;
using spar::test::Workplace;

double number(const boost::json::value& value) { return value.to_number<double>(); }

/// 40 iterations of PSRO on Kuhn poker, which the cases below look at.
struct Solved {
  Solved() {
    result = workplace.spar({"train", "kuhn-psro-exact", "stop.any=[{iterations=40}]", "--json"});
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
    end = json_lines(result.out).back();
    run = workplace.only_run();
  }
  Workplace workplace;
  spar::test::ProcessResult result;
  boost::json::object end;
  std::filesystem::path run;
};

Solved& solved() {
  static Solved once;
  return once;
}

BOOST_AUTO_TEST_SUITE(solve)

BOOST_AUTO_TEST_CASE(the_summary_tells_how_far_from_equilibrium_it_ended) {
  const auto& end = solved().end;
  BOOST_TEST(end.at("event").as_string() == "end");
  BOOST_TEST(end.at("status").as_string() == "completed");
  BOOST_TEST(end.at("stop_reason").as_string() == "iterations");
  BOOST_TEST(number(end.at("iterations")) == 40);
  bool told = false;
  for (const auto& line : json_lines(solved().result.out))
    if (line.at("event").as_string() == "progress") {
      told = true;
      BOOST_TEST(number(line.at("iterations")) > 0);
      BOOST_TEST(number(line.at("env_steps")) == 0);
    }
  BOOST_TEST(told);
  BOOST_TEST(number(end.at("nash_conv")) < 0.01);
  BOOST_TEST(std::abs(number(end.at("exploitability")) - number(end.at("nash_conv")) / 2) < 1e-15);
  BOOST_TEST(end.at("parameters_sha256").as_string().size() == 64u);
  const auto shown = solved().workplace.spar({"runs", "show", "@last"});
  BOOST_TEST(shown.out.find("iterations  40 in ") != std::string::npos, shown.out);
  BOOST_TEST(shown.out.find("NashConv    ") != std::string::npos, shown.out);
  const auto listed = solved().workplace.spar({"runs"});
  BOOST_TEST(listed.out.find("  completed    40 ") != std::string::npos, listed.out);
}

BOOST_AUTO_TEST_CASE(what_has_no_meaning_for_solving_is_refused) {
  Workplace workplace;
  const auto device = solved().workplace.spar({"resume", "@last", "--device", "cpu"});
  BOOST_TEST(device.exit_code == 2);
  BOOST_TEST(device.err ==
             "error[E0403]: `--device` has no meaning here: a resumed run keeps its device\n   = leave it out\n");
  const auto never = workplace.spar({"check", "kuhn-psro-exact", "checkpoint.every=0"});
  BOOST_TEST(never.exit_code == 2);
  BOOST_TEST(never.err.find("a duration or >= 1 iteration") != std::string::npos, never.err);
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--seeds", "3"}, {"--profile"}}) {
    std::vector<std::string> typed = {"train", "kuhn-psro-exact"};
    typed.insert(typed.end(), option.begin(), option.end());
    const auto refused = workplace.spar(typed);
    BOOST_TEST(refused.exit_code == 2);
    BOOST_TEST(refused.err.find("error[E0403]: `" + option[0] + "` has no meaning here") != std::string::npos,
               refused.err);
  }
  BOOST_TEST(!std::filesystem::exists(workplace.directory.path() / "runs"));
  const auto changed = solved().workplace.spar({"resume", "--inexact", "@last", "stop.any=[{iterations=50}]"});
  BOOST_TEST(changed.exit_code == 2);
  BOOST_TEST(changed.err.find("error[E0508]: the settings of a run that solves a game") != std::string::npos,
             changed.err);
}

BOOST_AUTO_TEST_CASE(every_iteration_has_a_line_of_metrics) {
  const auto lines = json_lines(read_file(solved().run / "seed-1/metrics.jsonl"));
  BOOST_REQUIRE_EQUAL(lines.size(), 40u);
  BOOST_TEST(std::abs(number(lines[0].at("nash_conv")) - 11.0 / 12) < 1e-9);
  for (size_t i = 0; i < lines.size(); ++i) {
    BOOST_TEST(number(lines[i].at("step")) == static_cast<double>(i + 1));
    // Boost.JSON reads the last bit of a double as it likes.
    BOOST_TEST(std::abs(number(lines[i].at("exploitability")) - number(lines[i].at("nash_conv")) / 2) < 1e-15);
    BOOST_TEST(std::abs(number(lines[i].at("value/player_0")) + number(lines[i].at("value/player_1"))) < 1e-12);
    BOOST_TEST(number(lines[i].at("population/player_0")) <= static_cast<double>(i + 1));
  }
  BOOST_TEST(std::abs(number(lines.back().at("value/player_0")) + 1.0 / 18) < 0.01);
}

BOOST_AUTO_TEST_CASE(pictures_can_be_made_of_payoffs_mixtures_and_strategies) {
  const auto picture = boost::json::parse(read_file(solved().run / "seed-1/empirical_game.json")).as_object();
  const auto& players = picture.at("players").as_array();
  BOOST_REQUIRE_EQUAL(players.size(), 2u);
  for (const auto& player : players) {
    double sum = 0;
    for (const auto& weight : player.at("mixture").as_array()) sum += number(weight);
    BOOST_TEST(std::abs(sum - 1) < 1e-12);
  }
  const auto& payoffs = picture.at("payoffs").as_array();
  BOOST_TEST(payoffs[0].as_array().size() == players[0].at("mixture").as_array().size());
  BOOST_TEST(payoffs[0].as_array()[0].as_array().size() == players[1].at("mixture").as_array().size());
  BOOST_TEST(std::abs(number(payoffs[0].as_array()[0].as_array()[0]) - 0.125) < 1e-12);  // uniform against uniform
  BOOST_TEST(std::abs(number(payoffs[1].as_array()[0].as_array()[0]) + 0.125) < 1e-12);

  const auto strategy = boost::json::parse(read_file(solved().run / "seed-1/strategy.json")).as_object();
  BOOST_TEST(strategy.at("game").as_string() == "org.spar.games/kuhn_poker");
  for (const auto& player : strategy.at("players").as_array()) {
    BOOST_TEST(player.at("infosets").as_array().size() == 6u);
    for (const auto& infoset : player.at("infosets").as_array()) {
      const auto& probabilities = infoset.at("probabilities").as_array();
      BOOST_TEST(std::abs(number(probabilities[0]) + number(probabilities[1]) - 1) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(exploitability_ends_a_run) {
  const Workplace workplace;
  const auto result =
      workplace.spar({"train", "leduc-psro-exact", "stop.any=[{exploitability=0.5},{iterations=500}]", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  const auto end = json_lines(result.out).back();
  BOOST_TEST(end.at("stop_reason").as_string() == "exploitability");
  BOOST_TEST(number(end.at("exploitability")) <= 0.5);
  BOOST_TEST(number(end.at("iterations")) < 100);
}

BOOST_AUTO_TEST_CASE(cfr_and_cfr_plus_have_the_reference_exploitability) {
  for (const auto& [preset, expected] : {std::pair{"leduc-cfr", 0.095716},
                                         {"leduc-cfr-plus", 0.013416},
                                         {"kuhn-cfr", 0.008226},
                                         {"kuhn-cfr-plus", 0.001194}}) {
    const Workplace workplace;
    const auto result = workplace.spar({"train", preset, "stop.any=[{iterations=100}]", "--json"});
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
    BOOST_TEST(std::abs(number(json_lines(result.out).back().at("exploitability")) - expected) < 1e-6, preset);
    BOOST_TEST(!std::filesystem::exists(workplace.only_run() / "seed-1/empirical_game.json"));
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_solved_is_refused_in_one_sentence) {
  const Workplace workplace;
  const auto refusal = [&](std::vector<std::string> words, int exit_code) {
    words.insert(words.begin(), "train");
    const auto result = workplace.spar(words);
    BOOST_TEST(result.exit_code == exit_code, result.err);
    return result.err;
  };
  BOOST_TEST(refusal({"kuhn-cfr", "env.id=connect_four"}, 2) ==
             "error[E1102]: environment `org.spar.games/connect_four` is too large to be solved exactly: its tree has "
             "more than 2000000 positions\n   = choose a smaller game\n");
  BOOST_TEST(refusal({"kuhn-cfr", "env.id=corridor"}, 2) ==
             "error[E1101]: environment `org.spar.probe/corridor` has no game tree (spar.env.tree/1 and "
             "spar.env.state/1), so it cannot be solved exactly\n   = games with a tree: spar plugin info "
             "org.spar.games\n");
  BOOST_TEST(refusal({"kuhn-psro-exact", "env.id=prisoners_dilemma", "scenario.meta_solver=nash"}, 2) ==
             "error[E1104]: the meta-solver `nash` solves zero-sum games of 2 players, which environment "
             "`org.spar.games/prisoners_dilemma` is not\n   = use another meta_solver, e.g. replicator\n");
  BOOST_TEST(std::filesystem::is_empty(workplace.directory.path() / "runs"));
  BOOST_TEST(refusal({"kuhn-psro-exact", "scenario.meta_solver=nahs"}, 2)
                 .find("error[E0207]: there is no meta-solver `nahs`") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(responses_can_be_learnt_by_an_algorithm) {
  const Workplace workplace;
  const auto result = workplace.spar(
      {"train", "kuhn-psro-dqn", "stop={any=[{iterations=3}],training={any=[{env_steps=700}]}}", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  BOOST_TEST(json_lines(result.out).back().at("stop_reason").as_string() == "iterations");
  const auto run = workplace.only_run();
  const auto lines = json_lines(read_file(run / "seed-1/metrics.jsonl"));
  BOOST_REQUIRE_EQUAL(lines.size(), 3u);
  BOOST_TEST(std::abs(number(lines[0].at("nash_conv")) - 11.0 / 12) < 1e-9);  // of uniform play
  for (const auto& line : lines)
    for (const std::string player : {"player_0", "player_1"}) {
      BOOST_TEST(number(line.at(player + "/env_steps")) == 700);
      BOOST_TEST(number(line.at(player + "/train_steps")) > 0);
      BOOST_TEST(line.contains(player + "/loss/q"));
      BOOST_TEST(number(line.at("response_gap/" + player)) >= -1e-12);  // no response is better than the best
      BOOST_TEST(number(line.at("response/" + player)) <= 2);
    }
  const auto manifest = boost::json::parse(read_file(run / "manifest.json")).as_object();
  BOOST_TEST(manifest.at("algorithm").at("component").as_string() == "org.spar.dqn");
  BOOST_TEST(std::filesystem::exists(run / "seed-1/strategy.json"));
  BOOST_TEST(std::filesystem::exists(run / "seed-1/empirical_game.json"));

  const auto refused = workplace.spar({"train", "kuhn-psro-dqn", "algorithm={id=\"sac\"}"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(
      refused.err.find("error[E0705]: algorithm `org.spar.sac` does not honour action masks") != std::string::npos,
      refused.err);
  const auto team = workplace.spar({"train", "kuhn-psro-dqn", "strategy={id=\"team\"}"});
  BOOST_TEST(team.exit_code == 2);
  BOOST_TEST(team.err.find("error[E0308]: strategy `org.spar.team` plans that several players learn together in the "
                           "group `team`, and every response is learnt by one player against the others\n") !=
                 std::string::npos,
             team.err);
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(workplace.directory.path() / "runs"), {}) == 1);
  BOOST_TEST(workplace.spar({"check", "kuhn-psro-dqn"})
                 .out.starts_with("kuhn-psro-dqn is sound: psro of dqn on kuhn_poker, "));
}

BOOST_AUTO_TEST_CASE(what_is_stopped_in_the_first_iteration_goes_on_as_well) {
  const Workplace workplace;
  const std::string longer = "stop={any=[{iterations=1}],training={any=[{env_steps=20_000_000}]}}";
  spar::test::Process process(workplace.command({"train", "kuhn-psro-dqn", longer}));
  BOOST_TEST_REQUIRE(process.wait_for("memory"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.send(SIGTERM);
  const auto stopped = process.finish();
  BOOST_TEST_REQUIRE(stopped.exit_code == 75, stopped.err);
  BOOST_TEST(stopped.out.find("iterations  0 in ") != std::string::npos, stopped.out);
  BOOST_TEST(!std::filesystem::exists(workplace.only_run() / "seed-1/empirical_game.json"));
  spar::test::Process again(workplace.command({"resume", "@last"}));
  BOOST_TEST_REQUIRE(again.wait_for("memory"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  again.send(SIGTERM);
  BOOST_TEST(again.finish().exit_code == 75);
}

BOOST_AUTO_TEST_CASE(a_response_that_learns_nothing_ends_the_run) {
  const Workplace workplace;
  const auto result =
      workplace.spar({"train", "kuhn-psro-dqn", "stop={any=[{iterations=3}],training={any=[{env_steps=100}]}}"});
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(
      result.err.find("error[E1108]: `player_0` made no update in its response of iteration 1: [stop.training] "
                      "ends after 100 transitions, before the algorithm has begun to learn\n") != std::string::npos,
      result.err);
}

BOOST_AUTO_TEST_CASE(responses_that_diverge_name_player_and_iteration) {
  const Workplace workplace;
  const auto result = workplace.spar({"train", "kuhn-psro-ppo", "algorithm.actor_lr=1e10"});
  BOOST_TEST(result.exit_code == 1, result.err);
  BOOST_TEST(result.err.find(" learns its response of iteration ") != std::string::npos, result.err);
}

BOOST_AUTO_TEST_CASE(evaluations_of_learners_tell_their_distance_from_equilibrium_where_the_tree_is_small) {
  const std::string sections =
      "count = 4\n[algorithm]\nid = \"dqn\"\nhidden_layers = [8]\nbatch_size = 16\nwarm_up = 50\nbuffer_size = 500\n"
      "[stop]\nany = [{ env_steps = 200 }]\n[eval]\nevery = 100\nepisodes = 2\n";
  for (const auto& [game, judged] : {std::pair{"leduc_poker", true}, {"tic_tac_toe", false}, {"corridor", false}}) {
    const Workplace workplace;
    workplace.directory.write("game.toml", "[env]\nid = \"" + std::string(game) + "\"\n" + sections);
    const auto result = workplace.spar({"train", "game.toml", "--json"});
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
    const auto run = workplace.only_run();
    const auto lines = json_lines(read_file(run / "seed-1/eval.jsonl"));
    BOOST_REQUIRE_EQUAL(lines.size(), 2u);
    for (const auto& line : lines) BOOST_TEST(line.contains("nash_conv") == judged, game);
    const auto end = json_lines(result.out).back();
    BOOST_TEST(end.contains("nash_conv") == judged, game);
    const auto evaluated = workplace.spar({"eval", "@last", "--checkpoint", "last", "--episodes", "2"});
    BOOST_TEST((evaluated.out.find("NashConv") != std::string::npos) == judged, evaluated.out);
    if (!judged) continue;
    BOOST_TEST(number(lines.back().at("nash_conv")) > 0);
    const bool later = number(lines[1].at("nash_conv")) < number(lines[0].at("nash_conv"));
    BOOST_TEST(number(end.at("best").at("step")) == number(lines[later ? 1 : 0].at("step")));
    BOOST_TEST(number(end.at("nash_conv")) == number(lines.back().at("nash_conv")));
    BOOST_TEST(number(end.at("exploitability")) == number(end.at("nash_conv")) / 2);
  }
}

BOOST_AUTO_TEST_CASE(ctrl_c_gives_an_iteration_up_and_it_is_learnt_again_the_same) {
  const std::vector<std::string> typed = {"train", "kuhn-psro-dqn", "--json",
                                          "stop={any=[{iterations=4}],training={any=[{env_steps=20_000}]}}"};
  const Workplace whole, halves;
  const auto expected = whole.spar(typed);
  BOOST_TEST_REQUIRE(expected.exit_code == 0, expected.err);
  spar::test::Process process(halves.command(typed));
  BOOST_TEST_REQUIRE(process.wait_for("\"event\":\"progress\""));
  process.send(SIGINT);
  const auto stopped = process.finish();
  BOOST_TEST_REQUIRE(stopped.exit_code == 130, stopped.err);
  const auto resumed = halves.spar({"resume", "@last", "--json"});
  BOOST_TEST_REQUIRE(resumed.exit_code == 0, resumed.err);
  BOOST_TEST(json_lines(resumed.out).back().at("parameters_sha256") ==
             json_lines(expected.out).back().at("parameters_sha256"));
  BOOST_TEST(read_file(halves.only_run() / "seed-1/metrics.jsonl") ==
             read_file(whole.only_run() / "seed-1/metrics.jsonl"));
}

BOOST_AUTO_TEST_CASE(a_killed_run_shows_its_iterations) {
  const Workplace workplace;
  spar::test::Process process(workplace.command(
      {"train", "kuhn-psro-exact", "scenario.meta_solver=uniform", "stop.any=[{iterations=10_000_000}]", "--json"}));
  BOOST_TEST_REQUIRE(process.wait_for("\"event\":\"progress\""));
  process.send(SIGKILL);
  BOOST_TEST_REQUIRE(process.finish().signal == SIGKILL);
  const auto shown = workplace.spar({"runs", "show", "@last"});
  BOOST_TEST(shown.out.find("\niterations  ") != std::string::npos, shown.out);
  BOOST_TEST(shown.out.find("steps") == std::string::npos, shown.out);
}

BOOST_AUTO_TEST_CASE(what_the_settings_have_brought_about_is_not_to_be_continued) {
  const Workplace workplace;
  const auto result = workplace.spar({"train", "kuhn-psro-dqn", "stop.training.any=[{env_steps=100}]"});
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(result.err.find("error[E1108]: ") != std::string::npos, result.err);
  BOOST_TEST(result.err.find("continue with") == std::string::npos, result.err);
}

BOOST_AUTO_TEST_CASE(several_seeds_of_learnt_responses_tell_their_mean_distance) {
  const Workplace workplace;
  const auto result = workplace.spar({"train", "kuhn-psro-dqn", "stop.any=[{iterations=2}]",
                                      "stop.training.any=[{env_steps=1_000}]", "--seeds", "2", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  const auto all = json_lines(result.out).back();
  const auto& seeds = all.at("seeds").as_array();
  BOOST_TEST_REQUIRE(seeds.size() == 2u);
  BOOST_TEST(std::abs(number(all.at("nash_conv")) -
                      (number(seeds[0].at("nash_conv")) + number(seeds[1].at("nash_conv"))) / 2) < 1e-12);
  BOOST_TEST(number(all.at("iterations")) == 4);
}

BOOST_AUTO_TEST_CASE(check_tells_what_would_be_solved) {
  const auto result = Workplace().spar({"check", "leduc-psro-exact"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.starts_with("leduc-psro-exact is sound: psro on leduc_poker, 400 iterations, seed 1\nmemory "),
             result.out);
  const auto line = json_lines(Workplace().spar({"check", "leduc-psro-exact", "--json"}).out).at(0);
  BOOST_TEST(line.at("scenario").as_string() == "psro");
  BOOST_TEST(number(line.at("budget")) == 400);
}

BOOST_AUTO_TEST_CASE(responses_are_not_learnt_beside_their_actors) {
  const Workplace workplace;
  const auto result = workplace.spar({"train", "kuhn-psro-dqn", "strategy.overlap=true"});
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(result.err ==
             "error[E0308]: strategy `org.spar.independent` lets actors run beside the learners, and the training of a "
             "response takes turns with its learning\n   = leave `overlap` of the strategy out\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
