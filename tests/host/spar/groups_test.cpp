// Groups of agents with algorithms of their own, through the program.
#include <boost/test/unit_test.hpp>

#include "host/spar/support.hpp"

namespace {

using spar::test::json_lines;
using spar::test::Workplace;

const std::string kMatrixGame =
    "name = \"two\"\n[env]\nid = \"matching_pennies\"\ncount = 2\n"
    "[[group]]\nname = \"first\"\nagents = [\"player_0\"]\n"
    "algorithm = { id = \"dqn\", hidden_layers = [8], batch_size = 16, warm_up = 50, buffer_size = 500 }\n"
    "[[group]]\nname = \"second\"\nagents = [\"player_1\"]\n"
    "algorithm = { id = \"ppo\", hidden_layers = [8], rollout_length = 10, batch_size = 20 }\n"
    "[stop]\nany = [{ env_steps = 300 }]\n[eval]\nevery = 100\nepisodes = 2\n[checkpoint]\nevery = 100\n";

std::string end_of(const spar::test::ProcessResult& result, const char* key) {
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  return std::string(json_lines(result.out).back().at(key).as_string());
}

BOOST_AUTO_TEST_SUITE(groups_of_the_program)

BOOST_AUTO_TEST_CASE(groups_are_checked_trained_evaluated_matched_and_resumed) {
  const Workplace workplace;
  workplace.directory.write("two.toml", kMatrixGame);
  const auto check = workplace.spar({"check", "two.toml", "--json"});
  BOOST_TEST_REQUIRE(check.exit_code == 0, check.err);
  const auto groups = json_lines(check.out).at(0).at("groups").as_array();
  BOOST_REQUIRE(groups.size() == 2u);
  BOOST_TEST(groups[0].at("name").as_string() == "first");
  BOOST_TEST(groups[1].at("algorithm").as_string() == "org.spar.ppo");
  BOOST_TEST(workplace.spar({"check", "two.toml"})
                 .out.starts_with("two is sound: dqn and ppo on matching_pennies, 300 steps, seed 1\n"));

  const std::string parameters = end_of(workplace.spar({"train", "two.toml", "--json"}), "parameters_sha256");
  const auto run = workplace.only_run();
  const auto manifest = boost::json::parse(spar::test::read_file(run / "manifest.json")).as_object();
  BOOST_TEST(!manifest.contains("algorithm"));
  BOOST_TEST(manifest.at("algorithm of first").at("component").as_string() == "org.spar.dqn");
  BOOST_TEST(manifest.at("algorithm of second").at("component").as_string() == "org.spar.ppo");
  BOOST_TEST(manifest.at("plugins").as_array().size() == 4u);

  BOOST_TEST(workplace.spar({"eval", "@last", "--json"}).exit_code == 0);
  const auto match = workplace.spar({"eval", "@last", "random", "--json"});
  BOOST_TEST_REQUIRE(match.exit_code == 0, match.err);
  BOOST_TEST(json_lines(match.out).at(0).at("policies").as_array().size() == 2u);

  // What was stopped on the way comes to the same, and goes on with other options of a group's algorithm.
  const auto longer = workplace.spar(
      {"resume", "@last", "--inexact", "stop.any=[{env_steps=400}]", "group.first.algorithm.lr=1e-4", "--json"});
  BOOST_TEST(end_of(longer, "status") == "completed");
  BOOST_TEST(end_of(longer, "parameters_sha256") != parameters);
  const auto resolved = spar::test::read_file(run / "resolved.toml");
  BOOST_TEST(resolved.find("  # command line\n") != std::string::npos, resolved);
  const auto refused = workplace.spar({"resume", "@last", "group.first.agents=[\"player_1\"]"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(refused.err.starts_with("error[E0508]: `group.first.agents` of a run cannot be changed on its way"),
             refused.err);
}

BOOST_AUTO_TEST_CASE(learned_responses_have_an_algorithm_for_each_player) {
  const Workplace workplace;
  const std::string solve =
      "[scenario]\nid = \"psro\"\noracle = \"learned\"\n[stop]\nany = [{ iterations = 1 }]\n"
      "training = { any = [{ env_steps = 200 }] }\n";
  const std::string two = kMatrixGame.substr(0, kMatrixGame.find("[stop]"));
  workplace.directory.write("psro.toml", two + solve);
  const auto result = workplace.spar({"train", "psro.toml", "--json"});
  BOOST_TEST(end_of(result, "status") == "completed");
  const auto metrics = json_lines(spar::test::read_file(workplace.only_run() / "seed-1/metrics.jsonl")).at(0);
  BOOST_TEST(metrics.contains("player_0/loss/q"));
  BOOST_TEST(!metrics.contains("player_1/loss/q"));
  workplace.directory.write(
      "one.toml", "mapping = \"shared\"\nalgorithm = { id = \"ppo\" }\n[env]\nid = \"matching_pennies\"\n" + solve);
  const auto refused = workplace.spar({"check", "one.toml"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(
      refused.err.find("error[E0308]: strategy `org.spar.independent` plans that several players learn together") !=
          std::string::npos,
      refused.err);
  BOOST_TEST(refused.err.find("= give each player a [[group]] of its own, or none") != std::string::npos, refused.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
