#include <boost/test/unit_test.hpp>

#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

namespace {

const std::string kEverything = R"(
name = "every-thing"
seed = 9
[env]
id = "Pendulum-v1"
count = 8
g = 9.81
[algorithm]
id = "sac"
preset = "tuned"
actor_lr = 1e-3
hidden_layers = []
network = { kind = "a\"b", "x y" = [1, 2.5, { z = true }], empty = {} }
[strategy]
id = "team"
[stop]
any = [ { env_steps = 20_000 }, { eval_return = -150.5, for = 3 }, { seconds = 0.1 } ]
all = [ { episodes = 5 } ]
[eval]
every = 77
[checkpoint]
every = "90s"
keep.best = 0
[threshold]
"eval.return.iqm" = "> -1e-3"
)";

Experiment everything(std::vector<std::string> assignments = {}) {
  const Scratch scratch;
  scratch.file("tuned.toml", "algorithm = { id = \"sac\", alpha_lr = 1e-3, gamma = 0.1 }\n");
  const std::string path = scratch.file("e.toml", kEverything);
  return load({path, scratch.path(), std::move(assignments), {}}, fake_lookup);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resolved_configuration)

BOOST_AUTO_TEST_CASE(every_value_has_its_origin) {
  const Scratch scratch;
  const std::string path = scratch.file("a.toml", kPendulum);
  std::string text = resolved_toml(load({path, "", {"seed=3", "checkpoint.every=5_000"}, {}}, fake_lookup));
  for (size_t at; (at = text.find(scratch.path() + "/")) != std::string::npos;)
    text.erase(at, scratch.path().size() + 1);
  BOOST_TEST(text ==
             R"(# Every value of this experiment and where it comes from. Loading this file gives the same experiment.
name = "pendulum-sac"  # a.toml:1
seed = 3  # command line

[env]
id = "org.spar.classic/Pendulum-v1"  # a.toml:3
g = 10.0  # default
count = 8  # a.toml:4
shards = 1  # default

[algorithm]
id = "org.spar.sac"  # a.toml:6
actor_lr = 0.001  # a.toml:7
gamma = 0.99  # default
batch_size = 64  # default
hidden_layers = [128, 128]  # default
loss = "huber"  # default
# alpha_lr is left out  (default)
reward_scale = 1.0  # default
using_double_q = true  # default
scales = [0.1, 1.0]  # default
network = { kind = "mlp", gain = 0.001, sizes = [1, 2] }  # default

[strategy]
id = "org.spar.independent"  # default

[scenario]
id = "marl"  # default

[stop]
any = [{ env_steps = 20000 }, { eval_return = -150.0, for = 3 }]  # a.toml:9

[eval]
every = 1000  # default
episodes = 20  # default

[checkpoint]
every = 5000  # command line

[checkpoint.keep]
last = 2  # default
best = 1  # default
)");
}

BOOST_AUTO_TEST_CASE(loading_it_gives_the_same_experiment) {
  for (const std::vector<std::string>& assignments :
       {std::vector<std::string>{}, {"checkpoint.every=1234"}, {"algorithm.network=[[],[1]]", "stop.any=[]"}}) {
    const Experiment before = everything(assignments);
    const Scratch scratch;
    // Without the directory of presets: what a preset gave is in the file.
    const Experiment after = load({scratch.file("resolved.toml", resolved_toml(before)), "", {}, {}}, fake_lookup);
    BOOST_TEST((after == before));
    BOOST_TEST(config_hash(after) == config_hash(before));
    BOOST_TEST((after.algorithm.options.values == before.algorithm.options.values));
    BOOST_TEST((after.env.options.values == before.env.options.values));
    BOOST_TEST((after.stop.any == before.stop.any));
    BOOST_TEST((after.stop.all == before.stop.all));
    BOOST_TEST(std::get<double>(after.algorithm.options.find("alpha_lr")->data) == 1e-3);
  }
}

BOOST_AUTO_TEST_CASE(a_scenario_that_solves_a_game_comes_back) {
  const std::string text =
      "[env]\nid = \"Pendulum-v1\"\n[scenario]\nid = \"psro\"\nmeta_solver = \"replicator\"\n[stop]\n"
      "any = [ { iterations = 5 }, { exploitability = 1e-3 } ]\n";
  const Experiment before = load_text(text, {"scenario.meta_iterations=70"});
  BOOST_TEST(before.solves());
  BOOST_TEST(before.solve.meta_solver == "replicator");
  BOOST_TEST(before.solve.meta_iterations == 70u);
  BOOST_TEST(before.stop.iterations().value() == 5u);
  BOOST_TEST(!before.stop.budget());
  BOOST_TEST(before.warnings.empty());
  const Scratch scratch;
  const Experiment after = load({scratch.file("resolved.toml", resolved_toml(before)), "", {}, {}}, fake_lookup);
  BOOST_TEST((after == before));
  BOOST_TEST((after.stop.any == before.stop.any));
  BOOST_TEST(config_hash(after) != config_hash(load_text(text)));
  BOOST_TEST(config_hash(load_text(text, {"scenario.meta_solver=uniform"})) != config_hash(load_text(text)));
}

BOOST_AUTO_TEST_CASE(learned_responses_come_back) {
  const std::string text =
      "[env]\nid = \"Pendulum-v1\"\ncount = 4\nshards = 3\n[algorithm]\nid = \"sac\"\n[scenario]\nid = \"psro\"\n"
      "oracle = \"learned\"\n[stop]\nany = [ { iterations = 5 } ]\n";
  const Experiment defaults = load_text(text);
  BOOST_TEST((defaults.solves() && defaults.learns()));
  BOOST_TEST(defaults.solve.training.budget().value() == 10'000u);
  BOOST_TEST(defaults.env.count == 4u);
  BOOST_TEST(defaults.env.shards == 3u);
  BOOST_TEST(defaults.warnings.empty());

  const Experiment before = load_text(text, {"stop.training={all=[{train_steps=300},{episodes=50}]}"});
  BOOST_TEST(before.solve.training.all.size() == 2u);
  BOOST_TEST(before.solve.training.any.empty());
  BOOST_REQUIRE_EQUAL(before.warnings.size(), 1u);
  BOOST_TEST(before.warnings[0].starts_with("[stop.training] has no `env_steps`"));
  const Scratch scratch;
  const Experiment after = load({scratch.file("resolved.toml", resolved_toml(before)), "", {}, {}}, fake_lookup);
  BOOST_TEST((after == before));
  BOOST_TEST((after.solve.training.all == before.solve.training.all));
  BOOST_TEST(config_hash(after) != config_hash(defaults));
}

BOOST_AUTO_TEST_CASE(a_league_comes_back) {
  const std::string text =
      "[env]\nid = \"Pendulum-v1\"\ncount = 4\n[algorithm]\nid = \"sac\"\n[scenario]\nid = \"league\"\n[stop]\n"
      "any = [ { iterations = 5 } ]\ntraining.any = [ { env_steps = 500 } ]\n";
  const Experiment defaults = load_text(text);
  BOOST_TEST((defaults.solves() && defaults.learns() && defaults.is_league()));
  BOOST_TEST(defaults.warnings.empty());
  BOOST_TEST(load_text(text, {"stop.any=[{seconds=5}]"}).warnings.size() == 1u);
  for (const char* setting :
       {"main_agents=2", "main_exploiters=0", "league_exploiters=3", "pfsp=even", "pfsp_power=1.5", "self_play=0.5",
        "verification=0", "snapshot_win_rate=0.8", "main_exploiter_reset=0.5", "league_exploiter_reset=1",
        "play=greedy", "match_episodes=10"}) {
    const Experiment before = load_text(text, {"scenario." + std::string(setting)});
    const Scratch scratch;
    const Experiment after = load({scratch.file("resolved.toml", resolved_toml(before)), "", {}, {}}, fake_lookup);
    BOOST_TEST((after == before), setting);
    BOOST_TEST(config_hash(after) != config_hash(defaults), setting);
  }
}

BOOST_AUTO_TEST_CASE(deeply_nested_options_survive) {
  const std::string nested = std::string(200, '[') + std::string(200, ']');
  const Experiment before = everything({"algorithm.network=" + nested});
  const Scratch scratch;
  const Experiment after = load({scratch.file("resolved.toml", resolved_toml(before)), "", {}, {}}, fake_lookup);
  BOOST_TEST((after == before));
  BOOST_TEST(std::get<std::string>(after.algorithm.options.find("network")->data) == nested);
}

BOOST_AUTO_TEST_CASE(the_hash_sees_every_setting_but_the_name) {
  const std::string hash = config_hash(everything());
  BOOST_TEST(hash.size() == 64u);
  BOOST_TEST(config_hash(everything({"name=other"})) == hash);
  BOOST_TEST(!(everything({"name=other"}) == everything()));
  BOOST_TEST(config_hash(everything({"algorithm.actor_lr=0.001"})) == hash);
  for (const auto* assignment :
       {"seed=8", "env.count=7", "env.shards=2", "env.g=9.8", "algorithm.id=random", "algorithm.actor_lr=0.0010000001",
        "strategy.id=independent", "algorithm.network=[]", "stop.any=[{env_steps=20_001}]", "stop.all=[]",
        "eval.every=78", "eval.episodes=21", "checkpoint.every=91s", "checkpoint.keep.last=3",
        "threshold.\"eval.return.iqm\"=\">= -1e-3\""}) {
    std::vector<std::string> assignments = {assignment};
    if (assignments[0] == "algorithm.id=random") assignments[0] = "algorithm={id=\"random\"}";
    BOOST_TEST(config_hash(everything(assignments)) != hash, assignment);
  }
}

BOOST_AUTO_TEST_SUITE_END()
