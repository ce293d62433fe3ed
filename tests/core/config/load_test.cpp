#include <boost/test/unit_test.hpp>

#include "core/config/experiment.hpp"
#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

BOOST_AUTO_TEST_SUITE(experiment)

BOOST_AUTO_TEST_CASE(a_file_becomes_typed_settings) {
  const Experiment experiment = load_text(R"(
name = "x"
seed = 7
[env]
id = "Pendulum-v1"
count = 8
g = 9.81
wrap = []
[algorithm]
id = "org.spar.sac"
[strategy]
id = "team"
[scenario]
id = "marl"
[stop]
any = [ { env_steps = 20_000 }, { eval_return = -150, for = 3 }, { seconds = 600 } ]
all = [ { train_steps = 5 }, { episodes = 6 }, { no_improvement = 7 } ]
[eval]
every = 1_000
episodes = 5
[checkpoint]
every = "1.5h"
keep = { last = 3, best = 0 }
[threshold]
"eval.return.iqm" = ">= -160"
best.eval_return = "<3"
)");
  BOOST_TEST(experiment.name == "x");
  BOOST_TEST(experiment.seed == 7u);
  BOOST_TEST(experiment.env.id == "org.spar.classic/Pendulum-v1");
  BOOST_TEST(experiment.env.count == 8u);
  BOOST_TEST(std::get<double>(experiment.env.options.find("g")->data) == 9.81);
  BOOST_TEST(experiment.algorithm.id == "org.spar.sac");
  BOOST_TEST(experiment.strategy.id == "org.spar.team");
  BOOST_TEST(experiment.scenario == "marl");
  using Measure = Condition::Measure;
  const std::vector<Condition> any = {
      {Measure::env_steps, 20000, 1}, {Measure::eval_return, -150, 3}, {Measure::seconds, 600, 1}};
  const std::vector<Condition> all = {
      {Measure::train_steps, 5, 1}, {Measure::episodes, 6, 1}, {Measure::no_improvement, 7, 1}};
  BOOST_TEST((experiment.stop.any == any));
  BOOST_TEST((experiment.stop.all == all));
  BOOST_TEST(experiment.eval.every == 1000u);
  BOOST_TEST(experiment.eval.episodes == 5u);
  BOOST_TEST(experiment.checkpoint.every_seconds == 5400.0);
  BOOST_TEST(experiment.checkpoint.keep_last == 3u);
  BOOST_TEST(experiment.checkpoint.keep_best == 0u);
  BOOST_REQUIRE(experiment.thresholds.size() == 2u);
  BOOST_TEST(experiment.thresholds[0].metric == "best.eval_return");
  BOOST_TEST(experiment.thresholds[0].comparison() == "< 3.0");
  BOOST_TEST(experiment.thresholds[1].comparison() == ">= -160.0");
}

BOOST_AUTO_TEST_CASE(defaults_fill_what_is_left_out) {
  const Experiment experiment = load_text(
      "env.id = \"Pendulum-v1\"\nalgorithm.id = \"sac\"\nstop.any = [ { env_steps = 1000 }, { env_steps = 800 } ]\n");
  BOOST_TEST(experiment.name == "a");
  BOOST_TEST(experiment.seed == 1u);
  BOOST_TEST(experiment.env.count == 1u);
  BOOST_TEST(experiment.strategy.id == "org.spar.independent");
  BOOST_TEST(experiment.eval.every == 40u);
  BOOST_TEST(experiment.eval.episodes == 20u);
  BOOST_TEST(experiment.checkpoint.every_seconds == 120.0);
  BOOST_TEST(experiment.checkpoint.every_steps == 0u);
  BOOST_TEST(experiment.checkpoint.keep_last == 2u);
  BOOST_TEST(experiment.checkpoint.keep_best == 1u);
  BOOST_TEST(experiment.thresholds.empty());
}

BOOST_AUTO_TEST_CASE(the_budget_is_where_the_run_has_ended_for_sure) {
  using Measure = Condition::Measure;
  StopConfig stop;
  BOOST_TEST(!stop.budget());
  stop.all = {{Measure::env_steps, 10, 1}, {Measure::env_steps, 30, 1}, {Measure::seconds, 5, 1}};
  BOOST_TEST(stop.budget().value() == 30u);
  stop.any = {{Measure::env_steps, 50, 1}, {Measure::env_steps, 40, 1}};
  BOOST_TEST(stop.budget().value() == 40u);
}

BOOST_AUTO_TEST_CASE(a_run_without_a_budget_warns) {
  const Experiment experiment = load_text(kPendulum, {"stop={any=[{seconds=5}]}"});
  BOOST_REQUIRE(experiment.warnings.size() == 1u);
  BOOST_TEST(experiment.warnings[0].starts_with("[stop] has no `env_steps`"));
  BOOST_TEST(experiment.eval.every == 10000u);
}

BOOST_AUTO_TEST_CASE(iterations_of_a_meta_solver_that_does_not_iterate_are_warned_about) {
  const auto warnings = [](const std::string& meta_solver) {
    return load_text("[env]\nid = \"Pendulum-v1\"\n[scenario]\nid = \"psro\"\nmeta_iterations = 5\nmeta_solver = \"" +
                     meta_solver + "\"\n[stop]\nany = [ { iterations = 5 } ]\n")
        .warnings;
  };
  for (const auto* meta_solver : {"nash", "alpha_rank", "uniform"}) {
    BOOST_REQUIRE_EQUAL(warnings(meta_solver).size(), 1u);
    BOOST_TEST(warnings(meta_solver)[0] == "`meta_iterations` changes nothing: the meta-solver `" +
                                               std::string(meta_solver) + "` does not iterate");
  }
  for (const auto* meta_solver : {"regret_matching_plus", "fictitious_play", "replicator"})
    BOOST_TEST(warnings(meta_solver).empty(), meta_solver);
}

BOOST_AUTO_TEST_CASE(layers_win_in_order) {
  const Scratch scratch;
  scratch.file(
      "pendulum-sac.toml",
      "# t\n[algorithm]\nid = \"sac\"\nactor_lr = 0.5\ngamma = 0.5\nbatch_size = 5\n[env]\nid = \"ignored\"\n");
  const std::string path = scratch.file("a.toml", with_line("preset = \"pendulum\"\ngamma = 0.6"));
  const Experiment experiment =
      load({path, scratch.path(), {"algorithm.actor_lr=0.7", "env.count=3"}, 11}, fake_lookup);
  const Options& options = experiment.algorithm.options;
  BOOST_TEST(std::get<std::string>(options.find("loss")->data) == "huber");  // default
  BOOST_TEST(std::get<int64_t>(options.find("batch_size")->data) == 5);      // preset
  BOOST_TEST(std::get<double>(options.find("gamma")->data) == 0.6);          // file over preset
  BOOST_TEST(std::get<double>(options.find("actor_lr")->data) == 0.7);       // command line over all
  BOOST_TEST(experiment.env.count == 3u);
  BOOST_TEST(experiment.seed == 11u);
  BOOST_TEST(experiment.algorithm.preset == "pendulum");
  BOOST_TEST(experiment.origins.at("algorithm.batch_size").text() == "preset pendulum-sac");
  BOOST_TEST(experiment.origins.at("algorithm.gamma").text() == path + ":7");
  BOOST_TEST(experiment.origins.at("algorithm.actor_lr").text() == "command line");
  BOOST_TEST(experiment.origins.at("seed").text() == "command line");
  BOOST_TEST(!experiment.origins.contains("algorithm.loss"));
}

BOOST_AUTO_TEST_CASE(an_experiment_preset_is_a_layer_of_its_own) {
  const Scratch scratch;
  scratch.file("pendulum-sac.toml", kPendulum);
  const Experiment experiment = load({"pend", scratch.path(), {"env.count=2"}, {}}, fake_lookup);
  BOOST_TEST(experiment.name == "pendulum-sac");
  BOOST_TEST(experiment.origins.at("algorithm.actor_lr").text() == "preset pendulum-sac");
  BOOST_TEST(experiment.origins.at("env.count").text() == "command line");
}

BOOST_AUTO_TEST_CASE(assignments_alone_make_an_experiment) {
  const Experiment experiment =
      load({"", "", {"env.id=Pendulum-v1", "algorithm.id=sac", "stop.any=[{env_steps=10}]"}, {}}, fake_lookup);
  BOOST_TEST(experiment.name == "Pendulum-v1-sac");
  BOOST_TEST(experiment.stop.budget().value() == 10u);
}

BOOST_AUTO_TEST_CASE(thresholds_compare) {
  const auto met = [](const std::string& text, double value) {
    return load_text(kPendulum, {"threshold.\"eval.return.mean\"=\"" + text + "\""}).thresholds.at(0).met(value);
  };
  BOOST_TEST(met(">= 475", 475));
  BOOST_TEST(!met(">= 475", 474.9));
  BOOST_TEST(!met("> 475", 475));
  BOOST_TEST(met("<= -1e2", -100));
  BOOST_TEST(!met("<-100", -100));
  BOOST_TEST(!met(">= 475", std::numeric_limits<double>::quiet_NaN()));
}

BOOST_AUTO_TEST_CASE(checkpoints_may_be_counted_in_steps) {
  const Experiment experiment = load_text(kPendulum, {"checkpoint.every=5000"});
  BOOST_TEST(experiment.checkpoint.every_steps == 5000u);
  BOOST_TEST(experiment.checkpoint.every_seconds == 0.0);
  BOOST_TEST(load_text(kPendulum, {"checkpoint.every=30s"}).checkpoint.every_seconds == 30.0);
  BOOST_TEST(load_text(kPendulum, {"checkpoint.every=\"2 min\""}).checkpoint.every_seconds == 120.0);
}

BOOST_AUTO_TEST_SUITE_END()
