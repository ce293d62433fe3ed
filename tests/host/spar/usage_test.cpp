#include <boost/test/unit_test.hpp>

#include "host/spar/support.hpp"

namespace {

using spar::test::Workplace;

void check_error(const spar::test::ProcessResult& result, int exit_code, const std::string& message) {
  BOOST_TEST(result.err == message);
  BOOST_TEST(result.exit_code == exit_code);
  BOOST_TEST(result.out == "");
}

const std::string kVerbs = "train, resume, eval, play, check, explain, plugin, runs, bench, doctor and help";

BOOST_AUTO_TEST_SUITE(usage)

BOOST_AUTO_TEST_CASE(an_unknown_verb_is_answered_with_the_nearest) {
  check_error(Workplace().spar({"trian", "cartpole-dqn"}), 2,
              "error[E0401]: there is no verb `trian`\n   = did you mean `train`? verbs: " + kVerbs + "\n");
}

BOOST_AUTO_TEST_CASE(a_file_in_place_of_the_verb_is_answered_with_the_way_to_train_it) {
  check_error(Workplace().spar({"./my_experiment.toml"}), 2,
              "error[E0401]: there is no verb `./my_experiment.toml`\n"
              "   = to train it, write: spar train ./my_experiment.toml\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_option_is_answered_with_the_nearest) {
  check_error(Workplace().spar({"train", "cartpole-dqn", "--sed", "3"}), 2,
              "error[E0402]: there is no option `--sed` for `spar train`\n"
              "   = did you mean `--seed`? see: spar train --help\n");
}

BOOST_AUTO_TEST_CASE(an_option_is_never_guessed_from_its_beginning) {
  check_error(Workplace().spar({"resume", "@last", "--inex"}), 2,
              "error[E0402]: there is no option `--inex` for `spar resume`\n"
              "   = see: spar resume --help\n");
}

BOOST_AUTO_TEST_CASE(an_option_of_another_verb_is_refused) {
  check_error(Workplace().spar({"train", "cartpole-dqn", "--twice"}), 2,
              "error[E0402]: there is no option `--twice` for `spar train`\n"
              "   = see: spar train --help\n");
}

BOOST_AUTO_TEST_CASE(global_options_may_stand_before_the_verb) {
  const auto result = Workplace().spar({"--color", "never", "--seed", "3", "explain", "E0203"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.starts_with("E0203: unknown key\n"));
}

BOOST_AUTO_TEST_CASE(a_verb_may_be_written_by_a_unique_beginning) {
  BOOST_TEST(Workplace().spar({"expl", "E0203"}).out.starts_with("E0203: unknown key\n"));
}

BOOST_AUTO_TEST_CASE(values_that_are_no_numbers_are_refused) {
  check_error(Workplace().spar({"train", "cartpole-dqn", "--seed=x1"}), 2,
              "error[E0403]: `--seed` must be a whole number from 0 on, found `x1`\n   = e.g. --seed 1\n");
  check_error(Workplace().spar({"eval", "@last", "--episodes", "0"}), 2,
              "error[E0403]: `--episodes` must be from 1 to 1,000,000, found 0\n   = e.g. --episodes 100\n");
  check_error(Workplace().spar({"eval", "@last", "--checkpoint", "newest"}), 2,
              "error[E0403]: `--checkpoint` must be best, last or a step, found `newest`\n"
              "   = e.g. --checkpoint last\n");
}

BOOST_AUTO_TEST_CASE(words_outside_of_a_choice_are_refused) {
  check_error(Workplace().spar({"runs", "--color=sometimes"}), 2,
              "error[E0403]: `--color` must be auto, always or never, found `sometimes`\n   = e.g. --color=never\n");
  check_error(Workplace().spar({"runs", "--device", "tpu"}), 2,
              "error[E0403]: `--device` must be cpu, cuda or auto, found `tpu`\n   = e.g. --device cpu\n");
}

BOOST_AUTO_TEST_CASE(what_is_not_offered_yet_says_so) {
  check_error(Workplace().spar({"tune", "x.toml"}), 2,
              "error[E0404]: `spar tune` is not offered yet\n   = offered: " + kVerbs + "\n");
  check_error(Workplace().spar({"runs", "rm", "@last"}), 2,
              "error[E0404]: `spar runs rm` is not offered yet\n   = a run is a directory: delete it with rm -r\n");
  check_error(Workplace().spar({"plugin", "trust", "dqn"}), 2,
              "error[E0404]: `spar plugin trust` is not offered yet\n"
              "   = offered: spar plugin list, spar plugin info ID\n");
}

BOOST_AUTO_TEST_CASE(seeds_have_a_range_and_jobs_need_seeds) {
  for (const char* seeds : {"0", "1001"})
    check_error(Workplace().spar({"train", "cartpole-dqn", "--seeds", seeds}), 2,
                std::string("error[E0403]: `--seeds` must be 1 to 1000, found ") + seeds + "\n   = e.g. --seeds 5\n");
  check_error(Workplace().spar({"train", "cartpole-dqn", "--jobs", "2"}), 2,
              "error[E0403]: `--jobs` says how many seeds train at the same time, and there is no `--seeds`\n"
              "   = e.g. --seeds 5 --jobs 2\n");
  check_error(Workplace().spar({"train", "cartpole-dqn", "--seeds", "2", "--jobs", "0"}), 2,
              "error[E0403]: `--jobs` must be at least 1, found 0\n   = e.g. --jobs 1\n");
}

BOOST_AUTO_TEST_CASE(a_group_of_benchmarks_has_to_exist) {
  check_error(Workplace().spar({"bench", "updates"}), 2,
              "error[E0403]: there is no group of benchmarks `updates`\n"
              "   = groups: machine, kernels, update, replay, environment, border, training, threads and growth\n");
}

BOOST_AUTO_TEST_CASE(threads_have_a_range) {
  for (const char* threads : {"0", "1025"})
    check_error(
        Workplace().spar({"train", "cartpole-dqn", "--threads", threads}), 2,
        std::string("error[E0403]: `--threads` must be 1 to 1024, found ") + threads + "\n   = e.g. --threads 1\n");
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_not_there_is_named) {
  check_error(Workplace().spar({"-C", "nowhere", "runs"}), 2,
              "error[E0403]: cannot work in `nowhere` (-C): No such file or directory\n"
              "   = name a directory that exists and can be entered\n");
}

BOOST_AUTO_TEST_CASE(every_verb_has_a_help_with_examples) {
  const Workplace workplace;
  for (const std::string verb :
       {"train", "resume", "eval", "play", "check", "explain", "plugin", "runs", "bench", "doctor", "help"}) {
    const auto result = workplace.spar({verb, "--help"});
    BOOST_TEST(result.exit_code == 0);
    BOOST_TEST(result.out.find(verb == "help" ? "Verbs:\n" : "Examples:\n  spar " + verb) != std::string::npos,
               result.out);
    BOOST_TEST(result.err == "");
  }
  BOOST_TEST(workplace.spar({"help", "train"}).out == workplace.spar({"train", "-h"}).out);
}

BOOST_AUTO_TEST_CASE(version_wins_over_the_verb) {
  const Workplace workplace;
  const auto version = workplace.spar({"--version"});
  BOOST_TEST(version.out.starts_with("spar "));
  BOOST_TEST(workplace.spar({"train", "--version"}).out == version.out);
  BOOST_TEST(workplace.spar({"--version", "--json"}).out.starts_with("{\"event\":\"version\",\"version\":\""));
}

BOOST_AUTO_TEST_CASE(without_a_verb_the_help_is_shown) {
  const auto result = Workplace().spar({});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("spar train cartpole-dqn") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(with_json_an_error_is_a_line_for_machines_too) {
  const auto result = Workplace().spar({"explain", "E9999", "--json"});
  const auto lines = spar::test::json_lines(result.out);
  BOOST_TEST_REQUIRE(lines.size() == 1u);
  BOOST_TEST(lines[0].at("event").as_string() == "error");
  BOOST_TEST(lines[0].at("code").as_string() == "E0403");
  BOOST_TEST(lines[0].at("message").as_string() == "there is no error code `E9999`");
  BOOST_TEST(lines[0].at("exit").as_int64() == 2);
  BOOST_TEST(result.err.starts_with("error[E0403]"));
}

BOOST_AUTO_TEST_CASE(output_that_cannot_be_written_is_not_passed_over) {
  const Workplace workplace;
  auto command = workplace.command({});
  command.words = {"sh", "-c", "exec " + command.words[0] + " train > /dev/full"};
  check_error(spar::test::run(command), 1,
              "error[E0411]: standard output could not be written: No space left on device\n"
              "   = free room where it goes, or send it elsewhere; runs and their files are not concerned\n");
}

BOOST_AUTO_TEST_CASE(a_reader_that_goes_away_is_no_error) {
  const Workplace workplace;
  auto command = workplace.command({});
  command.words = {"sh", "-c", "trap '' PIPE; { sleep 0.1; " + command.words[0] + " train; echo $? >&2; } | true"};
  BOOST_TEST(spar::test::run(command).err == "0\n");
}

BOOST_AUTO_TEST_CASE(doctor_takes_no_words) {
  check_error(Workplace().spar({"doctor", "plugins"}), 2,
              "error[E0403]: `spar doctor` takes no words, found `plugins`\n   = write: spar doctor\n");
}

BOOST_AUTO_TEST_CASE(every_code_of_the_command_line_is_explained) {
  const Workplace workplace;
  for (const char* code : {"E0000", "E0401", "E0402", "E0403", "E0404", "E0405", "E0406", "E0407", "E0408", "E0409",
                           "E0410", "E0411", "E0507", "E0601", "E0801"})
    BOOST_TEST(workplace.spar({"explain", code}).out.starts_with(code + std::string(": ")), code);
}

BOOST_AUTO_TEST_CASE(color_is_used_when_it_is_asked_for) {
  BOOST_TEST(Workplace().spar({"trian", "--color=always"}).err.starts_with("\x1b[1;31merror[E0401]\x1b[0m"));
  BOOST_TEST(Workplace().spar({"trian"}, {"CLICOLOR_FORCE=1"}).err.starts_with("\x1b["));
  BOOST_TEST(Workplace().spar({"trian"}, {"CLICOLOR_FORCE=1", "NO_COLOR=1"}).err.starts_with("error"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
