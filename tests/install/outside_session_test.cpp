// Algorithms and environments from outside, through whole sessions of the library: an algorithm that keeps what it
// learns for itself is saved, hashed, evaluated and resumed like one whose networks are the host's.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/train/session.hpp"
#include "support/files.hpp"

namespace {

namespace fs = std::filesystem;
using namespace spar;

constexpr double kBestReturn = -7;  // seven steps through eight cells

struct Plugins {
  Plugins() : registry(scan()) {}
  plugin::Registry scan() {
    train::offer_services(host);
    plugin::SearchPath search;
    search.directories.push_back({fs::path(SPAR_BUILD_DIR) / "tests/outside_plugins", "SPAR_PLUGIN_PATH"});
    search.directories.push_back({fs::path(SPAR_BUILD_DIR) / "lib/spar/plugins", "built-in"});
    plugin::RegistryOptions options;
    options.host = &host;
    options.worker = fs::path(SPAR_BUILD_DIR) / "bin/spar-worker";
    options.schema_cache.clear();
    return plugin::Registry::scan(search, options);
  }
  plugin::HostTable host;
  plugin::Registry registry;
};

train::Host host() {
  static Plugins plugins;
  return {plugins.registry, plugins.host};
}

/// Stops a run, with everything saved, after so many evaluations.
struct Stopper : train::Observer {
  explicit Stopper(uint64_t evaluations) : evaluations_left(evaluations) {}
  uint64_t evaluations_left;
  void evaluated(const train::EvaluationResult&) override { --evaluations_left; }
  train::Interruption interruption() override {
    return evaluations_left == 0 ? train::Interruption::save_and_stop : train::Interruption::none;
  }
};

class Run {
 public:
  Run(const std::string& environment, const std::string& algorithm, uint64_t steps, uint64_t seed = 1,
      const std::string& strategy = "independent") {
    std::ofstream(folder_ / "outside.toml")
        << "name = \"outside\"\nseed = " << seed << "\nstrategy = { id = \"" << strategy << "\" }\n[env]\nid = \""
        << environment << "\"\n[algorithm]\nid = \"" << algorithm << "\"\n[stop]\nany = [{ env_steps = " << steps
        << " }]\n[eval]\nevery = 500\nepisodes = 4\n";
    config::Sources sources;
    sources.experiment = (folder_ / "outside.toml").string();
    experiment_ = config::load(sources, train::lookup_in(host().registry));
    directory_.emplace(run::RunDirectory::create(folder_ / "runs", "outside"));
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  run::Summary train(uint64_t stop_after_evaluations = ~uint64_t{0}) {
    Stopper observer(stop_after_evaluations);
    return ended(train::train(host(), experiment_, *directory_, {"spar", "train"}, observer));
  }
  run::Summary resume() {
    train::Observer observer;
    return ended(train::resume(host(), experiment_, *directory_, {}, observer));
  }
  train::EvaluationResult evaluate(const std::string& checkpoint) {
    train::EvaluationRequest request;
    request.checkpoint = checkpoint;
    request.episodes = 3;
    return train::evaluate_run(host(), experiment_, *directory_, request);
  }

 private:
  static run::Summary ended(const train::SessionResult& result) {
    if (result.error) throw *result.error;
    return result.summary;
  }

  spar::test::TemporaryDirectory folder_;
  config::Experiment experiment_;
  std::optional<run::RunDirectory> directory_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(outside_session)

BOOST_AUTO_TEST_CASE(table_learns_the_corridor) {
  Run run("org.example/Corridor-v0", "org.example.qtable", 4000);
  const run::Summary summary = run.train();
  BOOST_TEST(summary.status == "completed");
  BOOST_TEST(summary.env_steps == 4000u);
  BOOST_REQUIRE(summary.best.has_value());
  BOOST_TEST(summary.best->eval_return == kBestReturn);
}

BOOST_AUTO_TEST_CASE(saved_table_plays_as_it_did_in_the_run) {
  Run run("org.example/Corridor-v0", "org.example.qtable", 4000);
  run.train();
  const std::vector<double> expected(3, kBestReturn);
  BOOST_TEST(run.evaluate("best").returns == expected, boost::test_tools::per_element());

  Run untrained("org.example/Corridor-v0", "org.example.qtable", 4000);
  untrained.train(0);
  BOOST_TEST(untrained.evaluate("0").mean == -100.0);  // an empty table goes left until the host's time limit
}

BOOST_AUTO_TEST_CASE(interrupted_run_resumes_to_the_same_table) {
  for (const char* environment : {"org.example/Corridor-v0", "org.example/Thermostat-v0"}) {
    Run whole(environment, "org.example.qtable", 3000), parts(environment, "org.example.qtable", 3000);
    const run::Summary expected = whole.train();
    const run::Summary stopped = parts.train(3);
    BOOST_TEST(stopped.status == "stopped");
    BOOST_TEST(stopped.env_steps == 1500u);
    const run::Summary resumed = parts.resume();
    BOOST_TEST(resumed.status == "completed");
    BOOST_TEST(resumed.env_steps == 3000u);
    BOOST_TEST(resumed.parameters_sha256 == expected.parameters_sha256);
  }
}

BOOST_AUTO_TEST_CASE(strategy_from_outside_decides_when_the_table_learns) {
  const auto run = [](const std::string& strategy, uint64_t steps) {
    return std::make_unique<Run>("org.example/Corridor-v0", "org.example.qtable", steps, 1, strategy);
  };
  const auto whole = run("org.example.bursts", 3000), parts = run("org.example.bursts", 3000);
  const run::Summary expected = whole->train();
  BOOST_REQUIRE(expected.best.has_value());
  BOOST_TEST(expected.best->eval_return == kBestReturn);
  parts->train(3);
  BOOST_TEST(parts->resume().parameters_sha256 == expected.parameters_sha256);
  // Before both have learnt all that there is.
  const auto bursts = run("org.example.bursts", 200), other = run("independent", 200);
  BOOST_TEST(bursts->train().parameters_sha256 != other->train().parameters_sha256);
}

BOOST_AUTO_TEST_CASE(hash_of_the_parameters_covers_the_table) {
  Run first("org.example/Corridor-v0", "org.example.qtable", 1000, 1);
  Run again("org.example/Corridor-v0", "org.example.qtable", 1000, 1);
  Run other("org.example/Corridor-v0", "org.example.qtable", 1000, 2);
  const std::string hash = first.train().parameters_sha256;
  BOOST_TEST(hash.size() == 64u);
  BOOST_TEST(again.train().parameters_sha256 == hash);
  BOOST_TEST(other.train().parameters_sha256 != hash);
}

BOOST_AUTO_TEST_CASE(dqn_trains_on_an_environment_from_outside) {
  Run run("org.example/Corridor-v0", "org.spar.dqn", 1000);
  const run::Summary summary = run.train();
  BOOST_TEST(summary.status == "completed");
  BOOST_TEST(summary.eval.has_value());
}

BOOST_AUTO_TEST_CASE(table_keeps_the_room_of_the_c_plugin_warm) {
  Run run("org.example/Thermostat-v0", "org.example.qtable", 20000);
  const run::Summary summary = run.train();
  BOOST_TEST(summary.status == "completed");
  BOOST_REQUIRE(summary.best.has_value());
  // From at most 20 degrees away the first 19 steps are without reward, all later ones can have it.
  BOOST_TEST(summary.best->eval_return >= 31.0);
}

BOOST_AUTO_TEST_CASE(table_refuses_what_it_cannot_serve) {
  Run run("org.spar.classic/CartPole-v1", "org.example.qtable", 1000);
  BOOST_CHECK_EXCEPTION(run.train(), Error, [](const Error& error) {
    return error.code() == "E0702" && std::string(error.what()).find("one bounded number") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
