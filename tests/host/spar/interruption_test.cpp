#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>
#include <tuple>

#include "host/spar/support.hpp"

namespace {

using spar::test::json_lines;
using spar::test::Process;
using spar::test::read_file;
using spar::test::small_experiment;
using spar::test::Workplace;

/// Learns so much for each step that a signal arrives in time.
std::string slow_experiment(const std::string& steps) { return small_experiment(steps, "number_updates = 20\n"); }

boost::json::object summary(const spar::test::ProcessResult& result) { return json_lines(result.out).back(); }

/// Starts a training of `steps` and sends `signal` behind the first evaluation.
spar::test::ProcessResult train_and_send(const Workplace& workplace, const std::string& steps, int signal) {
  workplace.directory.write("exp.toml", slow_experiment(steps));
  Process process(workplace.command({"train", "exp.toml", "--json"}));
  BOOST_TEST_REQUIRE(process.wait_for("\"event\":\"eval\""));
  process.send(signal);
  return process.finish();
}

BOOST_AUTO_TEST_SUITE(interruption)

BOOST_AUTO_TEST_CASE(a_run_that_was_preempted_and_resumed_equals_an_uninterrupted_one) {
  const Workplace whole, halves;
  whole.directory.write("exp.toml", slow_experiment("8_000"));
  const auto expected = whole.spar({"train", "exp.toml", "--json"});
  BOOST_TEST_REQUIRE(expected.exit_code == 0, expected.err);

  const auto preempted = train_and_send(halves, "8_000", SIGTERM);
  BOOST_TEST_REQUIRE(preempted.exit_code == 75, preempted.err);
  BOOST_TEST(summary(preempted).at("status").as_string() == "preempted");
  const auto steps = summary(preempted).at("env_steps").to_number<uint64_t>();
  BOOST_TEST((steps >= 500 && steps < 8000), steps);
  const std::string run = "runs/" + halves.only_run().filename().string();
  BOOST_TEST(preempted.err.ends_with("continue with: spar resume " + run + "\n"));

  const auto resumed = halves.spar({"resume", "@last", "--json"});
  BOOST_TEST_REQUIRE(resumed.exit_code == 0, resumed.err);
  BOOST_TEST(summary(resumed).at("parameters_sha256") == summary(expected).at("parameters_sha256"));
  for (const char* file : {"seed-1/metrics.jsonl", "seed-1/eval.jsonl"})
    BOOST_TEST(read_file(halves.only_run() / file) == read_file(whole.only_run() / file), file);
}

BOOST_AUTO_TEST_CASE(sigusr1_saves_and_ends_with_75) {
  BOOST_TEST(train_and_send(Workplace(), "200_000", SIGUSR1).exit_code == 75);
}

BOOST_AUTO_TEST_CASE(ctrl_c_once_saves_and_prints_how_to_resume) {
  const Workplace workplace;
  const auto result = train_and_send(workplace, "200_000", SIGINT);
  BOOST_TEST(result.exit_code == 130);
  BOOST_TEST(summary(result).at("status").as_string() == "stopped");
  const auto run = workplace.only_run();
  BOOST_TEST(result.err.find("saving and stopping (Ctrl-C once more quits at once)\n") != std::string::npos);
  BOOST_TEST(result.err.ends_with("continue with: spar resume runs/" + run.filename().string() + "\n"));
  const auto steps = std::to_string(summary(result).at("env_steps").to_number<uint64_t>());
  BOOST_TEST(
      std::filesystem::exists(run / "seed-1/checkpoints" / (std::string(9 - steps.size(), '0') + steps + ".ckpt")));
}

BOOST_AUTO_TEST_CASE(ctrl_c_twice_quits_within_200_ms) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", slow_experiment("200_000"));
  Process process(workplace.command({"train", "exp.toml", "--json"}));
  BOOST_TEST_REQUIRE(process.wait_for("\"event\":\"eval\""));
  process.send(SIGINT);
  process.send(SIGINT);
  const auto sent = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  process.send(SIGINT);
  const auto result = process.finish();
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - sent).count();
  BOOST_TEST(result.exit_code == 130);
  BOOST_TEST(ms < 250);  // and 50 for this test to notice
}

BOOST_AUTO_TEST_CASE(several_seeds_are_all_stopped_by_a_signal_and_do_not_pass_for_done) {
  for (const auto& [signal, code, status] : {std::tuple(SIGINT, 130, "stopped"), {SIGTERM, 75, "preempted"}}) {
    const Workplace workplace;
    workplace.directory.write("exp.toml", slow_experiment("200_000"));
    Process process(workplace.command({"train", "exp.toml", "--seeds", "3", "--jobs", "2", "--json"}));
    const auto evaluated = [&] {
      std::error_code problem;
      size_t files = 0;
      for (const auto& run : std::filesystem::directory_iterator(workplace.directory.path() / "runs", problem))
        for (const char* seed : {"seed-1", "seed-2"})
          files += std::filesystem::exists(run.path() / seed / "checkpoints/best.ckpt");
      return files;
    };
    for (int i = 0; i < 500 && evaluated() < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    BOOST_TEST_REQUIRE(evaluated() == 2u);
    process.send(signal);
    const auto result = process.finish();
    BOOST_TEST(result.exit_code == code, result.err);
    const auto all = summary(result);
    BOOST_TEST(all.at("status").as_string() == status);
    BOOST_TEST_REQUIRE(all.at("seeds").as_array().size() == 2u);
    for (const auto& seed : all.at("seeds").as_array()) BOOST_TEST(seed.at("status").as_string() == status);
  }
}

BOOST_AUTO_TEST_CASE(a_killed_run_is_listed_as_interrupted_and_can_be_resumed) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", slow_experiment("20_000"));
  Process process(workplace.command({"train", "exp.toml", "--json"}));
  BOOST_TEST_REQUIRE(process.wait_for("\"event\":\"start\""));
  BOOST_TEST_REQUIRE(process.wait_for("\"event\":\"eval\""));
  process.send(SIGKILL);
  BOOST_TEST_REQUIRE(process.finish().signal == SIGKILL);
  BOOST_TEST(workplace.spar({"runs"}).out.find("interrupted") != std::string::npos);
  BOOST_TEST(workplace.spar({"runs", "show", "@last"}).out.find("continue with: spar resume") != std::string::npos);
  const auto resumed = workplace.spar({"resume", "@last", "--json"});
  BOOST_TEST(resumed.exit_code == 0, resumed.err);
  BOOST_TEST(summary(resumed).at("env_steps").to_number<uint64_t>() == 20000u);
}

BOOST_AUTO_TEST_CASE(other_kernels_refuse_to_continue_unless_inexact_is_asked_for) {
  const Workplace workplace;
  if (workplace.spar({"doctor"}).out.find("baseline in use") != std::string::npos) return;  // there are no others
  BOOST_TEST_REQUIRE(train_and_send(workplace, "20_000", SIGTERM).exit_code == 75);
  const std::string run = "runs/" + workplace.only_run().filename().string();
  const auto refused = workplace.spar({"resume", "@last"}, {"SPAR_CPU=baseline"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(
      refused.err.find("error[E0507]: this run cannot be continued bit for bit: kernels was ") != std::string::npos,
      refused.err);
  BOOST_TEST(refused.err.ends_with("   = continue all the same with: spar resume --inexact " + run + "\n"),
             refused.err);
  const auto continued = workplace.spar({"resume", "@last", "--inexact", "--json"}, {"SPAR_CPU=baseline"});
  BOOST_TEST(continued.exit_code == 0, continued.err);
  BOOST_TEST(summary(continued).at("env_steps").to_number<uint64_t>() == 20000u);
}

BOOST_AUTO_TEST_CASE(a_completed_run_goes_on_with_a_longer_budget_and_another_step_size) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("600"));
  BOOST_TEST_REQUIRE(workplace.spar({"train", "exp.toml"}).exit_code == 0);
  const auto continued =
      workplace.spar({"resume", "--inexact", "@last", "stop={any=[{env_steps=800}]}", "algorithm.lr=1e-4", "--json"});
  BOOST_TEST_REQUIRE(continued.exit_code == 0, continued.err);
  BOOST_TEST(continued.err.find("continued, but not bit for bit: algorithm.lr was 3e-04 and is 1e-04; stop.any was ") !=
                 std::string::npos,
             continued.err);
  BOOST_TEST(summary(continued).at("env_steps").to_number<uint64_t>() == 800u);
  BOOST_TEST(read_file(workplace.only_run() / "resolved.toml").find("lr = 1e-04  # command line") != std::string::npos);
  for (const auto& row : json_lines(read_file(workplace.only_run() / "seed-1/metrics.jsonl")))
    BOOST_TEST(row.at("step").to_number<uint64_t>() <= 800u);
}

BOOST_AUTO_TEST_CASE(settings_that_make_it_another_run_are_refused_and_change_nothing) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("600"));
  BOOST_TEST_REQUIRE(workplace.spar({"train", "exp.toml"}).exit_code == 0);
  const std::string before = read_file(workplace.only_run() / "resolved.toml");
  const auto refused = [&](const std::string& setting) {
    const auto result = workplace.spar({"resume", "--inexact", "@last", setting});
    BOOST_TEST(read_file(workplace.only_run() / "resolved.toml") == before);
    return std::to_string(result.exit_code) + " " + result.err;
  };
  BOOST_TEST(
      refused("env.count=2")
          .starts_with("2 error[E0508]: `env.count` of a run cannot be changed on its way: it was 1, found 2\n"));
  BOOST_TEST(refused("algorithm.id=ppo") ==
             "2 error[E0508]: `algorithm.id` of a run cannot be changed on its way\n"
             "   = start a new run with it: spar train\n");
  BOOST_TEST(refused("scenario.id=cfr").starts_with("2 error[E0508]: `scenario.id` of a run cannot be changed"));
  BOOST_TEST(refused("algorithm.gama=0.9").starts_with("2 error[E0203]: unknown key `gama`"));
  BOOST_TEST(refused("name=other").starts_with("2 error[E0508]: `name` of a run cannot be changed on its way"));
  for (const auto& [setting, error] :
       {std::pair{"algorithm.hidden_layers=[8]", "error[E0502]: the checkpoint holds other networks"},
        {"algorithm.buffer_size=300", "error[E0805]: the saved memory does not fit"},
        {"algorithm.n_steps=1", "error[E0805]: the saved memory does not fit"}}) {
    const std::string told = refused(setting);
    BOOST_TEST(told.starts_with("2 "), told);
    BOOST_TEST(told.find(error) != std::string::npos, told);
    BOOST_TEST(told.find("does not fit these settings: start a new run with them") != std::string::npos, told);
  }
}

BOOST_AUTO_TEST_CASE(two_writers_are_refused) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", slow_experiment("200_000"));
  Process process(workplace.command({"train", "exp.toml", "--json"}));
  BOOST_TEST_REQUIRE(process.wait_for("\"event\":\"eval\""));
  const auto second = workplace.spar({"resume", "@last"});
  BOOST_TEST(second.exit_code == 1);
  BOOST_TEST(second.err.starts_with("error[E0605]: run `runs/small-"), second.err);
  process.send(SIGTERM);
  BOOST_TEST(process.finish().exit_code == 75);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
