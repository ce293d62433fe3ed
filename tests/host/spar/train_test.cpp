#include <boost/test/unit_test.hpp>
#include <regex>

#include "host/spar/support.hpp"

namespace {

using spar::test::json_lines;
using spar::test::read_file;
using spar::test::small_experiment;
using spar::test::Workplace;

/// One training of 2,000 steps, which the cases below look at.
struct Trained {
  Trained() {
    workplace.directory.write("exp.toml", small_experiment("2_000"));
    result = workplace.spar({"train", "exp.toml", "algorithm.gamma=0.98", "--json"});
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
    lines = json_lines(result.out);
    run = workplace.only_run();
  }
  Workplace workplace;
  spar::test::ProcessResult result;
  std::vector<boost::json::object> lines;
  std::filesystem::path run;
};

Trained& trained() {
  static Trained once;
  return once;
}

BOOST_AUTO_TEST_SUITE(train)

BOOST_AUTO_TEST_CASE(the_last_line_is_the_summary) {
  const auto& end = trained().lines.back();
  BOOST_TEST(end.at("event").as_string() == "end");
  BOOST_TEST(end.at("status").as_string() == "completed");
  BOOST_TEST(end.at("stop_reason").as_string() == "env_steps");
  BOOST_TEST(end.at("env_steps").to_number<uint64_t>() == 2000u);
  BOOST_TEST(end.at("eval").at("return").at("episodes").to_number<uint64_t>() == 4u);
  BOOST_TEST(end.at("best").at("eval_return").to_number<double>() > 0);
  BOOST_TEST(end.at("parameters_sha256").as_string().size() == 64u);
  BOOST_TEST(end.at("error").is_null());
  BOOST_TEST(std::string(end.at("run").as_string()) == "runs/" + trained().run.filename().string());
}

BOOST_AUTO_TEST_CASE(several_seeds_are_runs_of_their_own_and_give_what_single_runs_give) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("2_000"));
  const auto result =
      workplace.spar({"train", "exp.toml", "algorithm.gamma=0.98", "--seeds", "2", "--jobs=2", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  const auto lines = json_lines(result.out);
  BOOST_TEST_REQUIRE(lines.size() == 1u);
  BOOST_TEST(lines[0].at("status").as_string() == "completed");
  BOOST_TEST(lines[0].at("eval").at("return").at("episodes").to_number<uint64_t>() == 2u);  // one mean for each seed
  const auto& seeds = lines[0].at("seeds").as_array();
  BOOST_TEST_REQUIRE(seeds.size() == 2u);
  BOOST_TEST(seeds[0].at("seed").to_number<uint64_t>() == 1u);
  BOOST_TEST(seeds[1].at("seed").to_number<uint64_t>() == 2u);
  BOOST_TEST(seeds[0].at("parameters_sha256") == trained().lines.back().at("parameters_sha256"));
  BOOST_TEST(seeds[0].at("parameters_sha256") != seeds[1].at("parameters_sha256"));
  for (const auto& seed : seeds)
    BOOST_TEST(workplace.spar({"runs", "show", std::string(seed.at("run").as_string())}).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(threads_share_the_work_change_no_number_and_are_no_more_than_processors) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("600"));
  const auto train = [&](const std::string& threads) {
    return workplace.spar({"train", "exp.toml", "algorithm.hidden_layers=[256, 128]", "algorithm.batch_size=256",
                           "algorithm.warm_up=500", "--json", "--threads", threads});
  };
  const auto one = train("1"), many = train("1024");
  BOOST_TEST_REQUIRE(one.exit_code == 0, one.err);
  BOOST_TEST_REQUIRE(many.exit_code == 0, many.err);
  BOOST_TEST(json_lines(one.out).back().at("parameters_sha256").as_string() ==
             json_lines(many.out).back().at("parameters_sha256").as_string());
  BOOST_TEST(one.err.find("processors") == std::string::npos, one.err);
  BOOST_TEST(many.err.find("`--threads 1024` is more than this machine has processors: ") != std::string::npos,
             many.err);
}

BOOST_AUTO_TEST_CASE(a_seed_that_misses_its_threshold_gives_the_exit_code_and_stops_no_other) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("2_000") + "[threshold]\n\"eval.return.mean\" = \">= 499\"\n");
  const auto result = workplace.spar({"train", "exp.toml", "--seeds", "2", "--jobs", "1"});
  BOOST_TEST(result.exit_code == 4, result.err);
  BOOST_TEST(result.out.find("seeds       2, completed\n") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_CASE(a_profile_tells_the_phases_and_changes_no_number) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("2_000"));
  const auto result = workplace.spar({"train", "exp.toml", "algorithm.gamma=0.98", "--json", "--profile"});
  const auto lines = json_lines(result.out);
  BOOST_TEST_REQUIRE(lines.size() > 2u);
  BOOST_TEST(lines.back().at("parameters_sha256") == trained().lines.back().at("parameters_sha256"));
  const auto& profile = lines[lines.size() - 2];
  BOOST_TEST(profile.at("event").as_string() == "profile");
  double sum = 0;
  for (const char* phase : {"act", "step", "append", "sample", "update", "publish", "evaluate", "checkpoint"}) {
    const double seconds = profile.at("phases").at(phase).to_number<double>();
    if (std::string(phase) != "publish") BOOST_TEST(seconds > 0, phase);  // one agent alone publishes nothing
    sum += seconds;
  }
  BOOST_TEST(sum < 1.5 * profile.at("seconds").to_number<double>());  // steps are estimated from one in sixteen
  const auto trace = boost::json::parse(read_file(workplace.only_run() / "profile.json"));
  BOOST_TEST(trace.at("traceEvents").as_array().size() > 100u);
}

BOOST_AUTO_TEST_CASE(every_event_is_told_in_order) {
  BOOST_TEST(trained().lines.front().at("event").as_string() == "start");
  BOOST_TEST(trained().lines.front().at("memory_bytes").to_number<uint64_t>() > 0u);
  size_t evaluations = 0, checkpoints = 0, progress = 0;
  for (const auto& line : trained().lines) {
    const auto& name = line.at("event").as_string();
    if (name == "eval") BOOST_TEST(line.at("step").to_number<uint64_t>() == ++evaluations * 500);
    if (name == "checkpoint" && !line.contains("error")) ++checkpoints;
    if (name == "progress") ++progress;
  }
  BOOST_TEST(evaluations == 4u);
  BOOST_TEST(checkpoints >= 2u);
  BOOST_TEST(progress >= 1u);
}

BOOST_AUTO_TEST_CASE(the_run_has_all_its_files) {
  const auto& run = trained().run;
  for (const char* file : {"experiment.toml", "resolved.toml", "manifest.json", "log.jsonl", "seed-1/metrics.jsonl",
                           "seed-1/eval.jsonl", "seed-1/checkpoints/best.ckpt", "seed-1/checkpoints/000002000.ckpt"})
    BOOST_TEST(std::filesystem::is_regular_file(run / file), file);
  BOOST_TEST(read_file(run / "experiment.toml") ==
             small_experiment("2_000") + "# command line: algorithm.gamma=0.98\n");
  BOOST_TEST(read_file(run / "resolved.toml").find("gamma = 0.98") != std::string::npos);
  BOOST_TEST(json_lines(read_file(run / "seed-1/eval.jsonl")).size() == 4u);
  const auto log = json_lines(read_file(run / "log.jsonl"));
  BOOST_TEST(log.front().at("event").as_string() == "start");
  BOOST_TEST(log.back().at("event").as_string() == "end");
  BOOST_TEST(log.back().at("time").as_string().size() == 24u);
  const auto manifest = boost::json::parse(read_file(run / "manifest.json"));
  BOOST_TEST(manifest.at("argv").as_array().size() == 5u);
  BOOST_TEST(manifest.at("status").as_string() == "completed");
}

BOOST_AUTO_TEST_CASE(piped_progress_is_one_line_for_each_evaluation) {
  std::istringstream lines(trained().result.err);
  std::string line;
  std::getline(lines, line);
  BOOST_TEST(line.find(": memory ") != std::string::npos, line);
  for (int i = 1; i <= 4; ++i) {
    std::getline(lines, line);
    BOOST_TEST(line.starts_with(i == 1   ? "step 500"
                                : i == 2 ? "step 1,000"
                                : i == 3 ? "step 1,500"
                                         : "step 2,000"),
               line);
    BOOST_TEST(line.find("eval return ") != std::string::npos);
  }
  BOOST_TEST(!std::getline(lines, line));
}

BOOST_AUTO_TEST_CASE(a_completed_run_that_is_resumed_repeats_its_summary) {
  const auto again = trained().workplace.spar({"resume", "@last", "--json"});
  BOOST_TEST(again.exit_code == 0);
  BOOST_TEST(again.err == "");
  const auto lines = json_lines(again.out);
  BOOST_TEST_REQUIRE(lines.size() == 1u);
  BOOST_TEST(lines[0] == trained().lines.back());
  BOOST_TEST(json_lines(trained().workplace.spar({"runs", "show", "small", "--json"}).out).at(0) ==
             trained().lines.back());
}

BOOST_AUTO_TEST_CASE(runs_are_listed_and_shown) {
  const std::string id = trained().run.filename().string();
  const auto list = trained().workplace.spar({"runs"});
  BOOST_TEST(list.exit_code == 0);
  BOOST_TEST(list.out.find(id + "  completed    2,000") != std::string::npos, list.out);
  BOOST_TEST(trained().workplace.spar({"runs", "ls"}).out == list.out);
  const auto json = json_lines(trained().workplace.spar({"runs", "ls", "--json"}).out);
  BOOST_TEST_REQUIRE(json.size() == 1u);
  BOOST_TEST(std::string(json[0].at("id").as_string()) == id);
  const auto shown = trained().workplace.spar({"runs", "show", id.substr(id.size() - 4)});
  BOOST_TEST(shown.out.starts_with("run         runs/" + id + "\nstatus      completed (env_steps)\n"), shown.out);
  const auto unknown = trained().workplace.spar({"runs", "show", "large"});
  BOOST_TEST(unknown.err.starts_with("error[E0601]: no run in `runs` is named `large`\n"), unknown.err);
  BOOST_TEST(unknown.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(eval_plays_the_checkpoint_that_is_asked_for) {
  const auto& workplace = trained().workplace;
  const auto best = workplace.spar({"eval", "@best", "--json", "--episodes", "6"});
  BOOST_TEST(best.exit_code == 0, best.err);
  const auto line = json_lines(best.out).at(0);
  BOOST_TEST(line.at("returns").as_array().size() == 6u);
  BOOST_TEST(line.at("step") == trained().lines.back().at("best").at("step"));
  BOOST_TEST(best.out == workplace.spar({"eval", "@last", "--json", "--episodes", "6"}).out);
  BOOST_TEST(best.out != workplace.spar({"eval", "@last", "--json", "--episodes", "6", "--seed", "7"}).out);
  const auto last = workplace.spar({"eval", "@last", "--checkpoint", "last"});
  BOOST_TEST(last.out.find("checkpoint  last, step 2,000\nreturn      mean ") != std::string::npos, last.out);
  const auto none = workplace.spar({"eval", "@last", "--checkpoint", "123"});
  BOOST_TEST(none.exit_code == 1);
  BOOST_TEST(none.err.starts_with("error[E0503]: there is no checkpoint of step 123 in `runs/"), none.err);
  BOOST_TEST(none.err.find("and one of 2000: --checkpoint last\n") != std::string::npos, none.err);
}

BOOST_AUTO_TEST_CASE(a_run_without_evaluation_has_no_best_checkpoint_and_says_what_there_is) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("200") + "[checkpoint.keep]\nbest = 0\n");
  BOOST_TEST_REQUIRE(workplace.spar({"train", "exp.toml"}).exit_code == 0);
  std::filesystem::remove(workplace.only_run() / "seed-1/checkpoints/best.ckpt");
  const auto result = workplace.spar({"eval", "@last"});
  BOOST_TEST(result.exit_code == 1);
  BOOST_TEST(result.err.find("/seed-1/checkpoints`: no evaluation has been made yet, or none is kept\n"
                             "   = there is one of step 0 and one of 200: --checkpoint last\n") != std::string::npos,
             result.err);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_keeps_its_device) {
  const auto result = trained().workplace.spar({"resume", "@last", "--device", "cpu"});
  BOOST_TEST(result.err ==
             "error[E0403]: `--device` has no meaning here: a resumed run keeps its device\n"
             "   = with other rounding: spar resume --inexact RUN algorithm.device=cpu\n");
  BOOST_TEST(result.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(a_run_that_ends_before_its_first_update_says_so) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("90"));
  const auto early = workplace.spar({"train", "exp.toml"});
  BOOST_TEST(early.exit_code == 0);
  BOOST_TEST(early.err.find("no update was made: the run ended after 90 transitions, before algorithm `org.spar.dqn` "
                            "begins to learn (warm-up 100 transitions, 16 rows in its memory)\n") != std::string::npos,
             early.err);
  BOOST_TEST(trained().result.err.find("no update") == std::string::npos, trained().result.err);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_keeps_its_seed) {
  const auto result = trained().workplace.spar({"resume", "@last", "--seed", "3"});
  BOOST_TEST(result.err ==
             "error[E0403]: `--seed` has no meaning here: a resumed run keeps its seed\n"
             "   = to train with another seed, start a new run: spar train\n");
  BOOST_TEST(result.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(an_unmet_threshold_ends_with_4_and_is_named_last) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("500") +
                                            "[threshold]\n\"eval.return.mean\" = \">= 499\"\n"
                                            "\"best.eval_return\" = \"> 0\"\n");
  const auto result = workplace.spar({"train", "exp.toml"});
  BOOST_TEST(result.exit_code == 4);
  BOOST_TEST(result.out.find("status      completed (env_steps)\n") != std::string::npos, result.out);
  const size_t at = result.err.find("error[E0406]: a threshold is not met: eval.return.mean is ");
  BOOST_TEST_REQUIRE(at != std::string::npos, result.err);
  BOOST_TEST(result.err.substr(at).find(", wanted >= 499.0\n") != std::string::npos);
  BOOST_TEST(result.err.find("best.eval_return") == std::string::npos);
}

/// 600 steps with a batch of 32 from the start on.
std::string probed(const std::string& algorithm, const std::string& options) {
  const bool discrete = algorithm == "dqn" || algorithm == "rainbow" || algorithm == "ppo";
  return std::string("[env]\nid = \"") + (discrete ? "CartPole-v1" : "Pendulum-v1") + "\"\n[algorithm]\nid = \"" +
         algorithm + "\"\nhidden_layers = [16]\nbatch_size = 32\n" +
         (algorithm == "ppo" ? "" : "buffer_size = 1_000\n") + options +
         "[stop]\nany = [{ env_steps = 600 }]\n[eval]\nevery = 600\nepisodes = 1\n";
}

BOOST_AUTO_TEST_CASE(a_support_that_cannot_hold_the_targets_is_warned_about_once) {
  for (const std::string algorithm : {"rainbow", "d3pg", "d4pg"}) {
    const Workplace workplace;
    workplace.directory.write("exp.toml", probed(algorithm, "v_min = -1\nv_max = 1\n"));
    const auto result = workplace.spar({"train", "exp.toml"});
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
    const std::string begin = "warning: learner/agent_0: ";
    const size_t at = result.err.find(begin);
    BOOST_TEST_REQUIRE(at != std::string::npos, algorithm << ": " << result.err);
    BOOST_TEST(result.err.find("% of the targets lie outside the support [-1", at) != std::string::npos, result.err);
    BOOST_TEST(result.err.find("widen v_min and v_max", at) != std::string::npos, result.err);
    BOOST_TEST(result.err.find(begin, at + 1) == std::string::npos, "it is told twice: " << result.err);
    BOOST_TEST(workplace.spar({"train", "exp.toml", "-q"}).err == "");
  }
}

BOOST_AUTO_TEST_CASE(each_algorithm_that_diverges_stops_before_it_saves) {
  for (const std::string algorithm : {"rainbow", "ppo", "ddpg", "d3pg", "d4pg", "sac"}) {
    const Workplace workplace;
    const std::string rates = algorithm == "rainbow" ? "lr = 1e37\n" : "actor_lr = 1e37\ncritic_lr = 1e37\n";
    workplace.directory.write("exp.toml", probed(algorithm, rates));
    const auto result = workplace.spar({"train", "exp.toml"});
    BOOST_TEST(result.exit_code == 1, algorithm << ": " << result.err);
    const std::regex sentence(
        "error\\[E0302\\]: the (metric `[a-z_/]+` became (NaN|infinite) at step \\d+|network `[a-z_]+` is not "
        "finite[^;]*); "
        "the last good checkpoint is \\d+\\.ckpt");
    BOOST_TEST(std::regex_search(result.err, sentence), algorithm << ": " << result.err);
    BOOST_TEST(workplace.spar({"eval", "@last", "--checkpoint", "last", "--episodes", "1"}).exit_code == 0, algorithm);
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_diverges_names_metric_step_and_last_good_checkpoint) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("2_000", "lr = 1e37\n") + "[checkpoint]\nevery = 50\n");
  const auto result = workplace.spar({"train", "exp.toml", "--json"});
  BOOST_TEST(result.exit_code == 1);
  const auto end = json_lines(result.out).back();
  BOOST_TEST(end.at("status").as_string() == "failed");
  const std::string error(end.at("error").as_string());
  std::smatch found;
  const std::regex sentence(
      "the metric `loss/q` became (NaN|infinite) at step (\\d+); the last good checkpoint is (\\d+)\\.ckpt");
  BOOST_TEST_REQUIRE(std::regex_match(error, found, sentence), error);
  BOOST_TEST(result.err.find("error[E0302]: " + error) != std::string::npos, result.err);
  BOOST_TEST(std::stoul(found[2]) == end.at("env_steps").to_number<uint64_t>());
  BOOST_TEST(std::stoul(found[3]) <= std::stoul(found[2]));

  // It is the newest there is, and it plays.
  std::string newest;
  for (const auto& file : std::filesystem::directory_iterator(workplace.only_run() / "seed-1/checkpoints"))
    newest = std::max(newest, file.path().filename() == "best.ckpt" ? "" : file.path().stem().string());
  BOOST_TEST(newest == found[3].str());
  BOOST_TEST(workplace.spar({"eval", "@last", "--checkpoint", "last"}).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(quiet_leaves_only_the_result) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("500"));
  const auto result = workplace.spar({"-q", "train", "exp.toml"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.err == "");
  BOOST_TEST(result.out.starts_with("run         runs/small-"));
}

BOOST_AUTO_TEST_CASE(a_terminal_gets_a_panel_unless_it_is_dumb) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("500"));
  const auto on_terminal = [&](const std::string& term) {
    auto command = workplace.command({}, {"TERM=" + term, "COLUMNS=80", "LC_ALL=C.UTF-8"});
    command.words = {"script", "-qec", command.words[0] + " train exp.toml", "/dev/null"};
    return run(command);
  };
  const auto panel = on_terminal("xterm");
  BOOST_TEST(panel.exit_code == 0);
  BOOST_TEST(panel.out.find("\x1b[4A\r") != std::string::npos, panel.out);
  BOOST_TEST(panel.out.find("100 %  500 / 500 steps") != std::string::npos, panel.out);
  const auto dumb = on_terminal("dumb");
  BOOST_TEST(dumb.out.find('\x1b') == std::string::npos, dumb.out);
  BOOST_TEST(dumb.out.find("step 500 (100 %)  eval return ") != std::string::npos, dumb.out);
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_parameters_and_another_seed_others) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("500"));
  const auto parameters = [&](const std::string& seed) {
    const auto lines = json_lines(workplace.spar({"train", "exp.toml", "--json", "--seed", seed}).out);
    return std::string(lines.back().at("parameters_sha256").as_string());
  };
  const std::string first = parameters("1");
  BOOST_TEST(first.size() == 64u);
  BOOST_TEST(first == parameters("1"));
  BOOST_TEST(first != parameters("2"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
