#include <boost/test/unit_test.hpp>

#include "host/spar/support.hpp"

namespace {

using spar::test::small_experiment;
using spar::test::Workplace;

/// Trains `text` as exp.toml and expects this message, exit code 2 and no run.
void check_refused(const std::string& text, const std::string& message) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", text);
  const auto result = workplace.spar({"train", "exp.toml"});
  BOOST_TEST(result.err == message);
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(result.out == "");
  BOOST_TEST(!std::filesystem::exists(workplace.directory.path() / "runs"));
}

BOOST_AUTO_TEST_SUITE(configuration)

BOOST_AUTO_TEST_CASE(an_unknown_key_is_underlined_and_the_nearest_is_named) {
  check_refused(small_experiment("2_000", "learning_rte = 3e-4\n"),
                "error[E0203]: unknown key `learning_rte` for algorithm `dqn`\n"
                " --> exp.toml:11:1\n"
                "11 | learning_rte = 3e-4\n"
                "   | ^^^^^^^^^^^^ did you mean `lr`? (float > 0, default 3e-04: Adam step size)\n"
                "   = see: spar explain dqn\n");
}

BOOST_AUTO_TEST_CASE(a_wrong_type_is_underlined) {
  check_refused(small_experiment("2_000", "gamma = \"high\"\n"),
                "error[E0204]: expected float in (0, 1] for `gamma` of algorithm `dqn`, found the text \"high\"\n"
                " --> exp.toml:11:9\n"
                "11 | gamma = \"high\"\n"
                "   |         ^^^^^^\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_environment_is_answered_with_the_nearest) {
  const Workplace workplace;
  workplace.directory.write(
      "exp.toml", "[env]\nid = \"CartPole-v2\"\n[algorithm]\nid = \"dqn\"\n[stop]\nany = [ { env_steps = 100 } ]\n");
  const auto result = workplace.spar({"train", "exp.toml"});
  BOOST_TEST(result.err ==
             "error[E0207]: no environment `CartPole-v2` is known; the nearest is `CartPole-v0`\n"
             " --> exp.toml:2:6\n"
             "2 | id = \"CartPole-v2\"\n"
             "  |      ^^^^^^^^^^^^^\n"
             "   = plugins are looked for in " +
                 workplace.directory.path().string() +
                 "/.local/share/spar/plugins and " SPAR_BUILD_DIR
                 "/lib/spar/plugins; `spar plugin list` shows what they offer\n");
  BOOST_TEST(result.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(an_assignment_with_a_mistake_is_shown_as_typed) {
  const auto result = Workplace().spar({"train", "cartpole-dqn", "algorithm.lr=fast"});
  BOOST_TEST(result.err ==
             "error[E0204]: expected float > 0 for `lr` of algorithm `dqn`, found the text \"fast\"\n"
             " --> command line\n"
             " | algorithm.lr=fast\n"
             " |              ^^^^\n");
  BOOST_TEST(result.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_named) {
  const auto result = Workplace().spar({"train", "nothing.toml"});
  BOOST_TEST(result.err == "error[E0210]: cannot read `nothing.toml`: there is no such file\n");
  BOOST_TEST(result.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(an_unknown_preset_is_answered_with_the_nearest) {
  const auto result = Workplace().spar({"train", "cartpol-dqn"});
  BOOST_TEST(
      result.err.starts_with("error[E0207]: there is no preset `cartpol-dqn`\n"
                             "   = did you mean `cartpole-dqn`? presets: "));
  BOOST_TEST(result.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(a_second_experiment_is_refused) {
  const auto result = Workplace().spar({"train", "cartpole-dqn", "acrobot-dqn"});
  BOOST_TEST(result.err ==
             "error[E0403]: `acrobot-dqn` is a second experiment beside `cartpole-dqn`\n"
             "   = settings are written KEY=VALUE, e.g. algorithm.lr=1e-3\n");
  BOOST_TEST(result.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(continuous_actions_are_refused_by_dqn_in_one_sentence) {
  const Workplace workplace;
  const auto result = workplace.spar({"train", "cartpole-dqn", "env.id=Pendulum-v1"});
  BOOST_TEST(
      result.err ==
      "error[E0702]: algorithm `org.spar.dqn`: DQN needs a Discrete action space, found Box(1): choose an algorithm "
      "for continuous actions or a discrete environment\n");
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(std::filesystem::is_empty(workplace.directory.path() / "runs"));
}

BOOST_AUTO_TEST_CASE(a_schedule_without_a_step_budget_is_refused) {
  const auto result = Workplace().spar({"check", "cartpole-dqn", "stop={any=[{seconds=5}]}"});
  BOOST_TEST(
      result.err ==
      "error[E0702]: algorithm `org.spar.dqn`: epsilon is a schedule over the step budget, and the run has none: add "
      "{ env_steps = N } to stop.any (stop.training.any for learned responses)\n");
  BOOST_TEST(result.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(a_run_that_needs_more_memory_than_there_is_is_refused) {
  const Workplace workplace;
  const auto result = workplace.spar({"train", "cartpole-dqn", "algorithm.buffer_size=100_000_000_000"});
  // Some systems refuse the memory itself; on those that promise more than they have, the estimate refuses.
  const bool system = result.err ==
                      "error[E0801]: the memory cannot be made: 100000000000 transitions of 64 bytes need more memory "
                      "than there is\n   = lower the buffer size\n";
  const bool estimate = result.err.starts_with("error[E0405]: the run needs 6.4 TB of memory and ");
  BOOST_TEST((system || estimate), result.err);
  BOOST_TEST(result.exit_code == (system ? 2 : 1));
  BOOST_TEST(std::filesystem::is_empty(workplace.directory.path() / "runs"));
}

BOOST_AUTO_TEST_CASE(check_tells_what_a_sound_experiment_needs) {
  const Workplace workplace;
  const auto result = workplace.spar({"check", "cartpole-dqn"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.err == "");
  BOOST_TEST(result.out.starts_with("cartpole-dqn is sound: dqn on CartPole-v1, 50,000 steps, seed 1\nmemory "),
             result.out);
  BOOST_TEST(workplace.spar({"train", "cartpole-dqn", "--dry-run"}).out == result.out);
  BOOST_TEST(!std::filesystem::exists(workplace.directory.path() / "runs"));
}

BOOST_AUTO_TEST_CASE(check_twice_compares_two_trainings) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("2_000"));
  const auto result = workplace.spar({"check", "exp.toml", "--twice"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("twice 2,000 steps: the same parameters, sha256 ") != std::string::npos, result.out);
  BOOST_TEST(result.err == "");
}

BOOST_AUTO_TEST_CASE(train_alone_lists_the_presets) {
  const auto result = Workplace().spar({"train"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.starts_with("presets:\n"));
  BOOST_TEST(result.out.find("CartPole-v1 with DQN") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(explain_tells_about_codes_components_and_parameters) {
  const Workplace workplace;
  BOOST_TEST(workplace.spar({"explain", "E0203"}).out.starts_with("E0203: unknown key\n"));
  BOOST_TEST(workplace.spar({"explain", "dqn.lr"}).out.starts_with("dqn.lr: float > 0, default 3e-04"));
  BOOST_TEST(workplace.spar({"explain", "CartPole-v1"}).out.starts_with("CartPole-v1: environment "));
  const auto unknown = workplace.spar({"explain", "dqm"});
  BOOST_TEST(unknown.err ==
             "error[E0207]: no component `dqm` is known\n"
             "   = did you mean `dqn`? `spar plugin list` shows them all\n");
  BOOST_TEST(unknown.exit_code == 2);
  BOOST_TEST(workplace.spar({"explain", "psro.meta_solver"}).err ==
             "error[E0207]: `psro.meta_solver` is no component\n"
             "   = `psro` is a scenario, chosen by [scenario] id: see share/doc/games.md\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
