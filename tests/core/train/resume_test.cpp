// A run that is interrupted and resumed from its checkpoint files equals one that was not: parameters, metrics and
// evaluations, byte for byte.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <span>

#include "core/config/experiment.hpp"
#include "core/run/run_directory.hpp"
#include "core/train/session.hpp"
#include "support/files.hpp"
#include "support/sanitized.hpp"
#include "support/training_run.hpp"

using namespace spar;
using namespace spar::test;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kSteps = 600;

/// Interrupts once, before the step of a given number, counted in calls; 0 = never.
struct Interrupter : train::Observer {
  explicit Interrupter(uint64_t call) : at(call) {}
  train::Interruption interruption() override {
    ++calls;
    return calls == at ? train::Interruption::save_and_stop : train::Interruption::none;
  }
  void warned(const std::string& text) override { warnings.push_back(text); }
  void saved(const checkpoint::Outcome& outcome) override { BOOST_TEST(!outcome.error.has_value()); }
  uint64_t at, calls = 0;
  std::vector<std::string> warnings;
};

/// `beginning`: environment and algorithm; what every run here has comes behind.
constexpr const char* kDqn = "[env]\nid = \"CartPole-v1\"\n[algorithm]\nid = \"dqn\"\nn_steps = 3\nlr = 1e-3\n";

config::Experiment experiment(const std::vector<std::string>& assignments, const fs::path& place,
                              const std::string& beginning = kDqn) {
  const fs::path file = place / "experiment.toml";
  std::ofstream(file) << "name = \"resume\"\n" + beginning +
                             "hidden_layers = [16]\nbatch_size = 16\nbuffer_size = 300\nwarm_up = 50\n"
                             "state_transform = \"normalise\"\nreward_transform = \"normalise\"\n"
                             "[stop]\nany = [{ env_steps = 600 }]\n[eval]\nevery = 200\nepisodes = 3\n"
                             "[checkpoint]\nevery = 100\nkeep = { last = 3, best = 1 }\n";
  config::Sources sources;
  sources.experiment = file.string();
  sources.assignments = assignments;
  return config::load(sources, train::lookup_in(*plugins().registry));
}

struct Result {
  std::string sha256, metrics, evaluations;
  bool operator==(const Result&) const = default;
};

/// One run in a directory of its own.
class Run {
 public:
  explicit Run(const std::vector<std::string>& assignments, const std::string& beginning = kDqn)
      : experiment_(experiment(assignments, place_.path(), beginning)),
        directory_(run::RunDirectory::create(place_.path(), "resume")),
        host_{*plugins().registry, plugins().host} {}

  train::SessionResult train(uint64_t interrupt_at = 0) {
    Interrupter observer(interrupt_at);
    auto result = train::train(host_, experiment_, directory_, {"spar", "train"}, observer);
    warnings = observer.warnings;
    return check(std::move(result));
  }
  train::SessionResult resume(uint64_t interrupt_at = 0, bool inexact = false) {
    Interrupter observer(interrupt_at);
    train::ResumeRequest request;
    request.inexact = inexact;
    auto result = train::resume(host_, experiment_, directory_, request, observer);
    warnings = observer.warnings;
    return check(std::move(result));
  }
  Result result(const train::SessionResult& session) const {
    BOOST_TEST(session.summary.status == "completed");
    BOOST_TEST(session.summary.env_steps == kSteps);
    return files(session);
  }
  /// The hash and the files, whatever the session's end.
  Result files(const train::SessionResult& session) const {
    const fs::path seed = directory_.seed(experiment_.seed);
    return {session.summary.parameters_sha256, read_file(seed / "metrics.jsonl"), read_file(seed / "eval.jsonl")};
  }
  /// Newest last.
  std::vector<fs::path> checkpoints() const {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(directory_.seed(experiment_.seed) / "checkpoints"))
      if (entry.path().filename() != "best.ckpt") files.insert(entry.path());
    return {files.begin(), files.end()};
  }
  std::vector<std::string> warnings;

 private:
  static train::SessionResult check(train::SessionResult result) {
    BOOST_REQUIRE_MESSAGE(!result.error.has_value(), result.summary.error.value_or("no error text"));
    return result;
  }
  TemporaryDirectory place_;
  config::Experiment experiment_;
  run::RunDirectory directory_;
  train::Host host_;
};

void check_equal(const Result& found, const Result& expected, const std::string& what) {
  BOOST_TEST(found.sha256 == expected.sha256, what << ": the parameters differ");
  BOOST_TEST((found.metrics == expected.metrics), what << ": metrics.jsonl differs");
  BOOST_TEST((found.evaluations == expected.evaluations), what << ": eval.jsonl differs");
}

const std::vector<std::vector<std::string>> kVariants = {
    {"algorithm.prioritized=true", "env.count=1"}, {"algorithm.prioritized=false", "env.count=1"},
    {"algorithm.prioritized=true", "env.count=3"}, {"algorithm.prioritized=false", "env.count=3"},
    {"algorithm.noisy=true", "env.count=1"},       {"algorithm.id=rainbow", "env.count=3"}};

/// A run that is interrupted at its very start, in the warm-up, and anywhere before call `last` equals the whole one.
/// Under sanitizers at two of these: the calls are the same.
void check_resumes(const std::vector<std::string>& variant, const std::string& beginning, uint64_t last,
                   std::mt19937_64& random) {
  std::string what = beginning;
  for (const auto& assignment : variant) what += assignment + " ";
  Run whole(variant, beginning);
  const Result expected = whole.result(whole.train());
  BOOST_TEST(expected.metrics.size() > 500u);
  BOOST_TEST(expected.evaluations.size() > 300u);
  std::vector<uint64_t> calls = {1, 3 + random() % (last - 3), 2, 3 + random() % (last - 3)};
  if (kSanitized) calls.resize(2);
  for (const uint64_t at : calls) {
    Run run(variant, beginning);
    BOOST_TEST(run.train(at).summary.status == "stopped");
    check_equal(run.result(run.resume()), expected, what + "interrupted at call " + std::to_string(at));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exact_resume)

BOOST_AUTO_TEST_CASE(resumed_run_equals_one_that_was_not_interrupted) {
  std::mt19937_64 random(20);
  for (const auto& variant : kVariants) {
    const uint64_t calls = variant[1] == "env.count=1" ? kSteps - 50 : (kSteps - 50) / 3;  // one a step after warm-up
    check_resumes(variant, kDqn, calls, random);
  }
}

// Networks, optimisers, noise of the exploration, learnt temperature, generators and snapshots of parallel actors:
// nothing is left out.
BOOST_AUTO_TEST_CASE(actor_critics_of_continuous_actions_resume_exactly) {
  const std::string begin = "[env]\nid = \"Pendulum-v1\"\ncount = 2\n[algorithm]\nid = ";
  std::mt19937_64 random(22);
  for (const std::string algorithm :
       {"\"ddpg\"\nprioritized = true\nnoise = \"ou\"\n", "\"d3pg\"\nnoise = \"ou\"\n",
        "\"d4pg\"\nnum_workers = 2\nupdate_freq = 3\nnoise = \"ou\"\n",
        "\"sac\"\nactor_lr = 1e-3\ncritic_lr = 1e-3\nalpha_lr = 1e-3\n", "\"sac\"\nprioritized = false\n"})
    check_resumes({}, begin + algorithm, 150, random);
}

// Each player of a game has decisions that are open while the other moves.
BOOST_AUTO_TEST_CASE(players_who_take_turns_resume_exactly) {
  std::mt19937_64 random(23);
  check_resumes({}, "[env]\nid = \"kuhn_poker\"\ncount = 2\n[algorithm]\nid = \"dqn\"\nn_steps = 2\nlr = 1e-3\n", 150,
                random);
}

// A learner of several agents, that has open windows of each of them.
BOOST_AUTO_TEST_CASE(teams_resume_exactly) {
  std::mt19937_64 random(25);
  const std::string spread =
      "[env]\nid = \"simple_spread_v3\"\ncount = 2\n[algorithm]\nid = \"dqn\"\nn_steps = 3\nlr = 1e-3\nupdate_freq = "
      "4\n";
  const std::string poker =
      "[env]\nid = \"kuhn_poker\"\ncount = 2\n[algorithm]\nid = \"dqn\"\nn_steps = 2\nlr = 1e-3\nupdate_freq = 4\n";
  check_resumes({"strategy.id=team"}, spread, 80, random);
  check_resumes({"strategy.id=team"}, poker, 80, random);
  check_resumes({"strategy.id=team", "strategy.mode=joint"}, spread, 80, random);
}

// Memories of all agents, and the streams that target policies draw from.
BOOST_AUTO_TEST_CASE(teams_with_central_critics_resume_exactly) {
  std::mt19937_64 random(26);
  const std::vector<std::string> central{"strategy.id=team", "strategy.mode=central_critic"};
  for (const std::string algorithm :
       {"\"ddpg\"\nnoise = \"ou\"\n", "\"d4pg\"\nnum_workers = 2\n", "\"sac\"\nalpha_lr = 1e-3\n"})
    check_resumes(
        central,
        "[env]\nid = \"simple_spread_v3_continuous\"\ncount = 2\n[algorithm]\nupdate_freq = 8\nid = " + algorithm, 60,
        random);
}

// What the acting copies hold is one phase older than what was learnt.
BOOST_AUTO_TEST_CASE(actors_beside_the_learner_resume_exactly) {
  std::mt19937_64 random(24);
  for (const std::string beginning :
       {"[env]\nid = \"CartPole-v1\"\ncount = 2\n[algorithm]\nid = \"dqn\"\nupdate_freq = 6\nnoisy = true\n",
        "[env]\nid = \"Pendulum-v1\"\n[algorithm]\nid = \"sac\"\n"})
    check_resumes({"strategy.overlap=true"}, beginning, 150, random);
}

// Each of them has generators, noise and counts of its own.
BOOST_AUTO_TEST_CASE(gradient_workers_in_step_resume_exactly) {
  std::mt19937_64 random(26);
  const std::vector<std::string> workers = {"strategy.id=async", "strategy.learners=2"};
  for (const std::string beginning :
       {"[env]\nid = \"CartPole-v1\"\ncount = 2\n[algorithm]\nid = \"dqn\"\nupdate_freq = 6\nnoisy = true\n",
        "[env]\nid = \"Pendulum-v1\"\n[algorithm]\nid = \"sac\"\nupdate_freq = 2\n"})
    check_resumes(workers, beginning, 90, random);
  check_resumes({"strategy.id=async", "strategy.learners=2", "strategy.samples_per_insert=24"},
                "[env]\nid = \"CartPole-v1\"\n[algorithm]\nid = \"dqn\"\n", 150, random);
}

BOOST_AUTO_TEST_CASE(asynchronous_runs_go_on_where_it_is_said_that_they_are_others) {
  Run run({"strategy.id=async", "strategy.learners=2", "strategy.mode=asp", "algorithm.update_freq=4"});
  BOOST_TEST(run.train(4).summary.status == "stopped");
  const std::string why =
      "strategy `org.spar.async` lets actors and learners go each at its own speed, which is another one every time";
  BOOST_REQUIRE(run.warnings.size() == 1u);
  BOOST_TEST(run.warnings[0] == "this run cannot be resumed exactly: " + why);
  BOOST_CHECK_EXCEPTION(run.resume(), Error,
                        [&](const Error& e) { return e.code() == "E0507" && std::string(e.what()).ends_with(why); });
  const auto session = run.resume(0, true);
  run.result(session);
}

BOOST_AUTO_TEST_CASE(run_may_be_interrupted_again_and_again) {
  const size_t variants = kSanitized ? 2 : kVariants.size();
  for (const auto& variant : std::span(kVariants).first(variants)) {
    Run whole(variant), run(variant);
    const Result expected = whole.result(whole.train());
    std::mt19937_64 random(21);
    auto session = run.train(1 + random() % 60);
    int stops = 0;
    while (session.summary.status == "stopped") {
      ++stops;
      session = run.resume(2 + random() % 60);
    }
    BOOST_TEST(stops >= 4);
    check_equal(run.result(session), expected, variant[0] + " " + variant[1]);
  }
}

// Killed after the last save and before the summary: the newest checkpoint is that of a run which has ended.
BOOST_AUTO_TEST_CASE(resuming_from_the_last_checkpoint_of_an_ended_run_changes_nothing) {
  for (const char* stop : {"stop.any=[{env_steps=600},{eval_return=1}]", "stop.any=[{env_steps=600}]"}) {
    auto variant = kVariants[0];
    variant.push_back(stop);
    Run run(variant);
    const auto ended = run.train();
    const Result expected = run.files(ended);
    const auto again = run.resume();
    BOOST_TEST(again.summary.status == "completed");
    BOOST_TEST(again.summary.stop_reason == ended.summary.stop_reason);
    BOOST_TEST(again.summary.env_steps == ended.summary.env_steps);
    BOOST_TEST((again.summary.eval == ended.summary.eval));
    BOOST_TEST((again.summary.best == ended.summary.best));
    check_equal(run.files(again), expected, stop);
  }
}

BOOST_AUTO_TEST_CASE(damaged_newest_checkpoint_gives_way_to_the_older_one) {
  const auto& variant = kVariants[0];
  Run whole(variant), run(variant);
  const Result expected = whole.result(whole.train());
  run.train(330);
  auto files = run.checkpoints();
  BOOST_REQUIRE(files.size() >= 2u);
  {
    std::fstream file(files.back(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(5'000);
    const char byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(5'000);
    file.put(byte);
  }
  const auto session = run.resume();
  BOOST_REQUIRE(run.warnings.size() == 1u);
  BOOST_TEST(run.warnings[0].starts_with("passed over " + files.back().string() + ": "), run.warnings[0]);
  check_equal(run.result(session), expected, "after the fall-back");
}

BOOST_AUTO_TEST_CASE(run_without_any_valid_checkpoint_does_not_start_from_scratch) {
  Run run(kVariants[0]);
  run.train(3);
  for (const auto& file : run.checkpoints()) fs::resize_file(file, 100);
  BOOST_CHECK_EXCEPTION(run.resume(), Error, [](const Error& e) { return e.code() == "E0503"; });
}

BOOST_AUTO_TEST_CASE(same_seed_gives_the_same_bytes_and_another_seed_others) {
  Run first(kVariants[0]), second(kVariants[0]);
  auto other_seed = kVariants[0];
  other_seed.push_back("seed=2");
  Run other(other_seed);
  const Result a = first.result(first.train()), b = second.result(second.train()), c = other.result(other.train());
  check_equal(b, a, "the second run");
  BOOST_TEST(a.sha256 != c.sha256);
  BOOST_TEST((a.metrics != c.metrics));
  BOOST_TEST((a.evaluations != c.evaluations));
}

BOOST_AUTO_TEST_CASE(other_settings_are_not_continued) {
  Run run(kVariants[0]);
  run.train(60);
  TemporaryDirectory place;
  const auto changed = experiment({"algorithm.prioritized=true", "algorithm.lr=2e-3"}, place.path());
  Interrupter observer(0);
  const fs::path directory = run.checkpoints().front().parent_path().parent_path().parent_path();
  run::RunDirectory opened = run::RunDirectory::open(directory);
  try {
    train::resume({*plugins().registry, plugins().host}, changed, opened, {}, observer);
    BOOST_ERROR("other settings were continued");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0507");
    BOOST_TEST(std::string(error.what()).starts_with("this run cannot be continued bit for bit: configuration was "));
    BOOST_TEST(error.help() == "continue all the same with: spar resume --inexact " + directory.string());
  }
}

BOOST_AUTO_TEST_SUITE_END()
