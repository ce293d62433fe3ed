// The messages that a person meets, word for word where the form matters.
#include <boost/test/unit_test.hpp>

#include "core/config/problems.hpp"
#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

namespace {

/// First line of the message.
std::string headline(const std::string& text, std::vector<std::string> assignments = {}) {
  const std::string message = failure(text, std::move(assignments));
  return message.substr(0, message.find('\n'));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(configuration_error)

BOOST_AUTO_TEST_CASE(unknown_option_shows_the_nearest_with_its_schema) {
  BOOST_TEST(failure(with_line("actor_learnig_rate = 3e-4")) ==
             "error[E0203]: unknown key `actor_learnig_rate` for algorithm `sac`\n"
             " --> a.toml:6:1\n"
             "6 | actor_learnig_rate = 3e-4\n"
             "  | ^^^^^^^^^^^^^^^^^^ did you mean `actor_lr`? (float > 0, default 3e-4: Adam step size of the actor)\n"
             "   = see: spar explain sac\n");
  BOOST_TEST(failure(with_line("actor_rl = 3e-4")) ==
             "error[E0203]: unknown key `actor_rl` for algorithm `sac`\n"
             " --> a.toml:6:1\n"
             "6 | actor_rl = 3e-4\n"
             "  | ^^^^^^^^ did you mean `actor_lr`? (float > 0, default 3e-4: Adam step size of the actor)\n"
             "   = see: spar explain sac\n");
}

BOOST_AUTO_TEST_CASE(words_of_other_libraries_lead_to_ours) {
  BOOST_TEST(contains(failure(with_line("discount = 0.9")), "did you mean `gamma`?"));
  BOOST_TEST(contains(failure(kPendulum, {"stop.any=[{total_timesteps=5}]"}), "did you mean `env_steps`?"));
}

BOOST_AUTO_TEST_CASE(unknown_option_on_the_command_line_has_its_caret_there) {
  BOOST_TEST(failure(kPendulum, {"algorithm.gama=0.9"}) ==
             "error[E0203]: unknown key `gama` for algorithm `sac`\n"
             " --> command line\n"
             " | algorithm.gama=0.9\n"
             " |           ^^^^ did you mean `gamma`? (float in (0, 1], default 0.99: discount)\n"
             "   = see: spar explain sac\n");
}

BOOST_AUTO_TEST_CASE(syntax_error_has_line_and_caret) {
  BOOST_TEST(failure("name = \"x\"\nseed = \n") ==
             "error[E0201]: this is not valid TOML: expected value, saw '\\n'\n"
             " --> a.toml:2:8\n"
             "2 | seed = \n"
             "  |        ^\n");
}

BOOST_AUTO_TEST_CASE(unknown_section_shows_the_nearest) {
  BOOST_TEST(failure(with_line("every = 5", "[evl]")) ==
             "error[E0202]: unknown section [evl]\n"
             " --> a.toml:10:2\n"
             "10 | [evl]\n"
             "   |  ^^^ did you mean `eval`?\n");
}

BOOST_AUTO_TEST_CASE(wrong_type_says_expected_and_found) {
  BOOST_TEST(failure(with_line("gamma = \"high\"")) ==
             "error[E0204]: expected float in (0, 1] for `gamma` of algorithm `sac`, found the text \"high\"\n"
             " --> a.toml:6:9\n"
             "6 | gamma = \"high\"\n"
             "  |         ^^^^^^\n");
  BOOST_TEST(failure(kPendulum, {"env.count=many"}) ==
             "error[E0204]: expected an integer for `count` in [env], found the text \"many\"\n"
             " --> command line\n"
             " | env.count=many\n"
             " |           ^^^^\n");
}

BOOST_AUTO_TEST_CASE(float_for_a_count_says_what_to_write) {
  BOOST_TEST(contains(failure(with_line("batch_size = 1e2")), "^^^ write 100\n"));
}

BOOST_AUTO_TEST_CASE(range_and_choice_errors_say_what_is_allowed) {
  BOOST_TEST(headline(with_line("gamma = 1.5")) ==
             "error[E0205]: expected float in (0, 1] for `gamma` of algorithm `sac`, found the number 1.5");
  BOOST_TEST(failure(with_line("loss = \"huger\"")) ==
             "error[E0205]: expected \"huber\" or \"mse\" for `loss` of algorithm `sac`, found the text \"huger\"\n"
             " --> a.toml:6:8\n"
             "6 | loss = \"huger\"\n"
             "  |        ^^^^^^^ did you mean `huber`?\n");
  BOOST_TEST(headline(kPendulum, {"env.count=0"}) == "error[E0205]: `count` in [env] must be >= 1, found the number 0");
  BOOST_TEST(headline(kPendulum, {"env.count=3", "env.shards=4"}) ==
             "error[E0205]: `shards` in [env] must be <= `count`, here 3, found the number 4");
  BOOST_TEST(headline(kPendulum, {"env.count=9999999"}).starts_with("error[E0205]"));
  BOOST_TEST(headline(kPendulum, {"seed=-1"}) == "error[E0205]: `seed` must be >= 0, found the number -1");
  BOOST_TEST(headline(kPendulum, {"name=../x"}).starts_with("error[E0205]: `name` must be made of letters"));
  BOOST_TEST(headline(kPendulum, {"checkpoint.keep.last=0"}).starts_with("error[E0205]: `last` in [checkpoint.keep]"));
  BOOST_TEST(headline(kPendulum, {"checkpoint.every=0"}).starts_with("error[E0205]"));
  BOOST_TEST(headline(kPendulum, {"eval.episodes=9999999"}).starts_with("error[E0205]"));
}

BOOST_AUTO_TEST_CASE(seed_option_beyond_64_signed_bits_is_refused) {
  const Scratch scratch;
  const std::string path = scratch.file("a.toml", kPendulum);
  try {
    load({path, "", {}, uint64_t{1} << 63}, fake_lookup);
    BOOST_ERROR("no error");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0205");
    BOOST_TEST(error.what() == std::string("`seed` must be below 2^63, found 9223372036854775808"));
  }
}

BOOST_AUTO_TEST_CASE(missing_settings_are_named) {
  BOOST_TEST(failure("[env]\nid = \"Pendulum-v1\"\n[algorithm]\n[stop]\nany = [ { env_steps = 5 } ]\n") ==
             "error[E0206]: `id` in [algorithm] is missing: the algorithm has to be chosen\n"
             " --> a.toml:3:1\n"
             "3 | [algorithm]\n"
             "  | ^^^^^^^^^^^\n"
             "   = see: spar plugin list\n");
  BOOST_TEST(failure("env.id = \"Pendulum-v1\"\nalgorithm.id = \"sac\"\n") ==
             "error[E0206]: `any` in [stop] is missing: nothing says when the run ends\n"
             " --> a.toml\n"
             "   = e.g. stop = { any = [ { env_steps = 20_000 } ] }\n");
  BOOST_TEST(headline(kPendulum, {"env={id=\"Maze-v0\"}"}) ==
             "error[E0206]: `map` in [env] is missing: text: name of the map");
  BOOST_TEST(headline(kPendulum, {"stop.any=[{for=3}]"}) == "error[E0206]: the condition names no measure");
  BOOST_TEST(headline(kPendulum, {"stop.any=[{}]"}) == "error[E0206]: the condition is empty");
  BOOST_TEST(headline(kPendulum, {"stop.any=[]"}).starts_with("error[E0206]"));
}

BOOST_AUTO_TEST_CASE(unknown_ids_are_marked_where_they_stand) {
  BOOST_TEST(failure(kPendulum, {"algorithm.id=sca"}) ==
             "error[E0207]: there is no algorithm `sca`\n"
             " --> command line\n"
             " | algorithm.id=sca\n"
             " |              ^^^ did you mean `sac`?\n");
  BOOST_TEST(headline(kPendulum, {"strategy.id=tean"}) == "error[E0207]: there is no strategy `tean`");
  BOOST_TEST(failure(kPendulum, {"scenario.id=prso"}) ==
             "error[E0207]: there is no scenario `prso`\n"
             " --> command line\n"
             " | scenario.id=prso\n"
             " |             ^^^^ did you mean `psro`?\n"
             "   = scenarios: marl, psro, cfr, cfr_plus and league\n");
  const std::string solving =
      "[env]\nid = \"Pendulum-v1\"\n[scenario]\nid = \"CFR\"\n[stop]\nany = [ { iterations = 5 } ]\n";
  BOOST_TEST(failure(solving) ==
             "error[E0207]: there is no scenario `CFR`\n"
             " --> a.toml:4:6\n"
             "4 | id = \"CFR\"\n"
             "  |      ^^^^^\n"
             "   = scenarios: marl, psro, cfr, cfr_plus and league\n");
  BOOST_TEST(headline("scenario = \"cfr\"\n" + solving.substr(0, solving.find("[scenario]"))) ==
             "error[E0204]: expected a table for `scenario`, found the text \"cfr\"");
  BOOST_TEST(headline(kPendulum, {"algorithm.preset=nothing"}) == "error[E0207]: there is no preset `nothing`");
}

BOOST_AUTO_TEST_CASE(settings_to_come_are_refused_by_name) {
  BOOST_TEST(headline(with_line("wrap = [ { normalize = \"obs\" } ]", "[env]")) ==
             "error[E0208]: environment wrappers are not offered yet");
  BOOST_TEST(headline("seeds = 5\n" + kPendulum) ==
             "error[E0208]: several seeds in one run (`seeds`) are not offered yet");
}

BOOST_AUTO_TEST_CASE(a_wrong_default_is_the_plugins_fault) {
  BOOST_TEST(failure(kPendulum, {"algorithm={id=\"broken\"}"}) ==
             "error[E0209]: the default of `x` of algorithm `broken` is wrong: expected int, found `\"one\"`\n"
             "   = this is a fault of the plugin, not of the configuration\n");
  auto broken = std::make_shared<Component>(*fake_sac());
  broken->params[0].default_json = "null";
  BOOST_CHECK_EXCEPTION(default_options(broken), Error, [](const Error& e) { return e.code() == "E0209"; });
  broken->params[0].default_json = "1";
  broken->params[0].type = 99;
  BOOST_CHECK_EXCEPTION(default_options(broken), Error, [](const Error& e) { return e.code() == "E0209"; });
}

BOOST_AUTO_TEST_CASE(unreadable_files_are_named) {
  const Scratch scratch;
  const auto message = [&](const std::string& path) -> std::string {
    try {
      load({path, "", {}, {}}, fake_lookup);
      return "";
    } catch (const Error& error) {
      return error.code() + " " + error.what();
    }
  };
  BOOST_TEST(message("./no.toml") == "E0210 cannot read `./no.toml`: there is no such file");
  BOOST_TEST(message(scratch.path()) == "E0210 cannot read `" + scratch.path() + "`: it is not a file");
  const std::string large = scratch.file("large.toml", std::string((4u << 20) + 1, '#'));
  BOOST_TEST(message(large) == "E0210 cannot read `" + large + "`: it is larger than 4 MiB");
}

BOOST_AUTO_TEST_CASE(contradictions_are_refused) {
  BOOST_TEST(headline(kPendulum, {"stop.any=[{env_steps=5,seconds=6}]"}) ==
             "error[E0211]: a condition has one measure, found `env_steps` and `seconds`");
  BOOST_TEST(headline(kPendulum, {"stop.any=[{env_steps=5,for=6}]"}) ==
             "error[E0211]: `for` counts evaluations in a row and belongs to `eval_return` only");
  const Scratch scratch;
  scratch.file("r.toml", "algorithm.id = \"random\"\n");
  scratch.file("n.toml", "algorithm.id = \"sac\"\nalgorithm.preset = \"r\"\n");
  scratch.file("e.toml", "name = \"e\"\n");
  const std::string path = scratch.file("a.toml", kPendulum);
  const auto message = [&](const std::string& assignment) -> std::string {
    try {
      load({path, scratch.path(), {assignment}, {}}, fake_lookup);
      return "";
    } catch (const Error& error) {
      BOOST_TEST(error.place().has_value());
      return error.code() + " " + error.what();
    }
  };
  BOOST_TEST(message("algorithm.preset=r") == "E0211 preset `r` is for algorithm `random`, not `sac`");
  BOOST_TEST(message("algorithm.preset=n") == "E0211 preset `n` builds on another one: presets do not nest");
  BOOST_TEST(message("algorithm={id=\"sca\",preset=\"r\"}") == "E0207 there is no algorithm `sca`");
  BOOST_TEST(message("algorithm.preset=e") == "E0211 preset `e` chooses no algorithm");
}

BOOST_AUTO_TEST_CASE(durations_and_comparisons_have_a_form) {
  BOOST_TEST(failure(kPendulum, {"checkpoint.every=2mn"}) ==
             "error[E0212]: the text \"2mn\" is not a duration\n"
             " --> command line\n"
             " | checkpoint.every=2mn\n"
             " |                  ^^^\n"
             "   = durations are a number > 0 and s, min or h: \"30s\", \"2min\", \"1.5h\"\n");
  for (const auto* text : {"", "min", "2", "-2s", "0s", "infs", "2min2"})
    BOOST_TEST(headline(kPendulum, {"checkpoint.every=\"" + std::string(text) + "\""}).starts_with("error[E0212]"),
               text);
  for (const auto* text : {"", "475", "=475", ">", ">= x", ">= 4 5", "=> 5", ">= nan"})
    BOOST_TEST(headline(kPendulum, {"threshold.\"eval.return.mean\"=\"" + std::string(text) + "\""}) ==
                   "error[E0212]: the text \"" + std::string(text) + "\" is not a comparison",
               text);
}

BOOST_AUTO_TEST_CASE(stop_measures_outside_a_list_are_refused_with_the_way_to_write_them) {
  BOOST_TEST(failure(kPendulum, {"stop={env_steps=500}"}) ==
             "error[E0203]: unknown key `env_steps` in [stop]\n"
             " --> command line\n"
             " | stop={env_steps=500}\n"
             " |       ^^^^^^^^^\n"
             "   = conditions are lists: any = [ { env_steps = 500 } ]\n");
}

BOOST_AUTO_TEST_CASE(scenarios_that_solve_a_game_refuse_what_belongs_to_training) {
  const std::string psro =
      "[env]\nid = \"Pendulum-v1\"\n[scenario]\nid = \"psro\"\n[stop]\nany = [ { iterations = 5 } ]\n";
  BOOST_TEST(failure(psro) == "");
  BOOST_TEST(headline(psro + "[algorithm]\nid = \"sac\"\n") ==
             "error[E0211]: [algorithm] has no meaning in the scenario `psro`");
  BOOST_TEST(headline(psro, {"eval.every=5"}) == "error[E0211]: [eval] has no meaning in the scenario `psro`");
  BOOST_TEST(headline(psro, {"env.count=2"}) == "error[E0211]: `count` in [env] has no meaning in the scenario `psro`");
  BOOST_TEST(contains(failure(psro, {"env.count=2", "env.shards=2"}), "`shards` in [env] has no meaning"));
  BOOST_TEST(headline(psro, {"scenario.meta_solver=nahs"}) == "error[E0207]: there is no meta-solver `nahs`");
  BOOST_TEST(contains(failure(psro, {"scenario.meta_solver=nahs"}),
                      "meta-solvers: regret_matching_plus, nash, fictitious_play, replicator, alpha_rank and uniform"));
  BOOST_TEST(contains(failure(psro, {"scenario.oracle=dqn"}), "error[E0207]: there is no oracle `dqn`"));
  BOOST_TEST(contains(failure(psro, {"scenario.oracle=dqn"}), "oracles: exact and learned"));
  BOOST_TEST(contains(failure(psro + "[algorithm]\nid = \"sac\"\n"), "or say oracle = \"learned\" in [scenario]"));
  BOOST_TEST(headline(psro, {"scenario.meta_iterations=0"}) ==
             "error[E0205]: `meta_iterations` in [scenario] must be >= 1, found the number 0");
  BOOST_TEST(headline(psro, {"scenario.id=cfr", "scenario.oracle=exact"}) ==
             "error[E0203]: unknown key `oracle` in [scenario]");
  BOOST_TEST(headline(psro, {"stop.any=[{env_steps=5}]"}).starts_with("error[E0203]: unknown key `env_steps`"));
  BOOST_TEST(headline(psro, {"stop.any=[{exploitability=-1}]"}) ==
             "error[E0205]: `exploitability` in [stop] must be >= 0, found the number -1");
  BOOST_TEST(headline(psro, {"stop.any=[]"}) ==
             "error[E0206]: `any` in [stop] is missing: nothing says when the run ends");
  BOOST_TEST(headline(psro, {"stop.training.any=[{env_steps=5}]"}) == "error[E0203]: unknown key `training` in [stop]");
  BOOST_TEST(headline(kPendulum, {"stop.any=[{iterations=5}]"}).starts_with("error[E0203]: unknown key `iterations`"));
}

BOOST_AUTO_TEST_CASE(learned_responses_want_an_algorithm_and_stop_by_what_can_be_repeated) {
  const std::string psro =
      "[env]\nid = \"Pendulum-v1\"\n[scenario]\nid = \"psro\"\noracle = \"learned\"\n"
      "[stop]\nany = [ { iterations = 5 } ]\n";
  BOOST_TEST(headline(psro) == "error[E0206]: `id` in [algorithm] is missing: the algorithm has to be chosen");
  const std::string learned = psro + "[algorithm]\nid = \"sac\"\n";
  BOOST_TEST(failure(learned, {"env.count=2"}) == "");
  BOOST_TEST(contains(failure(learned, {"eval.every=5"}), "[eval] has no meaning in the scenario `psro`"));
  BOOST_TEST(contains(failure(learned, {"eval.every=5"}), "judged by exploitability: leave the section out"));
  BOOST_TEST(headline(learned, {"stop.training.any=[{seconds=5}]"}).starts_with("error[E0203]: unknown key `seconds`"));
  BOOST_TEST(headline(learned, {"stop.training={env_steps=500}"}) ==
             "error[E0203]: unknown key `env_steps` in [stop.training]");
  BOOST_TEST(headline(learned, {"stop.training.any=[{iterations=5}]"}) ==
             "error[E0203]: unknown key `iterations` in [stop.training]");
  BOOST_TEST(contains(failure(learned, {"stop.training.any=[{seconds=5}]"}),
                      "known here: env_steps, train_steps and episodes"));
  BOOST_TEST(headline(learned, {"stop.training.any=[]"}) ==
             "error[E0206]: `any` in [stop.training] is missing: nothing says when a response ends");
  // A wrong oracle is told alone: what the other sections may hold depends on it.
  const std::string wrong = failure(learned, {"scenario.oracle=learnt", "env.count=4"});
  BOOST_TEST(wrong.starts_with("error[E0207]: there is no oracle `learnt`"), wrong);
  BOOST_TEST(!contains(wrong, "E0211"));
  const std::string exact = failure(learned, {"scenario.oracle=exact", "env.count=4"});
  BOOST_TEST(contains(exact, "`count` in [env] has no meaning"));
  BOOST_TEST(contains(exact, "or say oracle = \"learned\" in [scenario]"));
  BOOST_TEST(headline(learned, {"scenario.pfsp=hard"}) == "error[E0203]: unknown key `pfsp` in [scenario]");
  BOOST_TEST(headline(learned, {"stop.training.for=5"}) == "error[E0203]: unknown key `for` in [stop.training]");
}

BOOST_AUTO_TEST_CASE(a_league_wants_phases_and_shares_that_are_shares) {
  const std::string league =
      "[env]\nid = \"Pendulum-v1\"\n[algorithm]\nid = \"sac\"\n[scenario]\nid = \"league\"\n[stop]\n"
      "any = [ { iterations = 5 } ]\ntraining.any = [ { env_steps = 500 } ]\n";
  BOOST_TEST(failure(league, {"env.count=2"}) == "");
  BOOST_TEST(headline(league.substr(0, league.find("training."))) ==
             "error[E0206]: `any` in [stop.training] is missing: nothing says when a phase ends");
  BOOST_TEST(headline(league, {"stop.training.any=[{seconds=5}]"}).starts_with("error[E0203]: unknown key `seconds`"));
  BOOST_TEST(headline(league, {"stop.any=[{env_steps=5}]"}).starts_with("error[E0203]: unknown key `env_steps`"));
  BOOST_TEST(contains(failure(league, {"eval.every=5"}), "[eval] has no meaning in the scenario `league`"));
  BOOST_TEST(contains(failure(league, {"eval.every=5"}), "judged by Elo ratings: leave the section out"));
  BOOST_TEST(contains(failure("mapping = \"shared\"\n" + league), "`mapping` has no meaning in the scenario `league`"));
  BOOST_TEST(contains(failure(league + "[[group]]\nname = \"a\"\nagents = [\"x\"]\n"),
                      "[[group]] has no meaning in the scenario `league`"));
  BOOST_TEST(failure(league, {"scenario.pfsp=hrad"}) ==
             "error[E0207]: there is no weighting `hrad`\n"
             " --> command line\n"
             " | scenario.pfsp=hrad\n"
             " |               ^^^^ did you mean `hard`?\n"
             "   = weightings: hard, even and uniform\n");
  BOOST_TEST(contains(failure(league, {"scenario.play=best"}), "error[E0207]: there is no way to play `best`"));
  BOOST_TEST(failure(league, {"scenario.self_play=0.9"}) ==
             "error[E0211]: `self_play` and `verification` in [scenario] are shares of a main agent's episodes and add "
             "to 1.05, expected at most 1\n"
             " --> command line\n"
             " | scenario.self_play=0.9\n"
             " |          ^^^^^^^^^\n"
             "   = the rest of the episodes is prioritised fictitious self-play against all past players\n");
  BOOST_TEST(headline(league, {"scenario.verification=0.7"}).starts_with("error[E0211]: `self_play` and"));
  BOOST_TEST(headline(league, {"scenario.verification=1.5"}) ==
             "error[E0205]: `verification` in [scenario] must be in [0, 1], found the number 1.5");
  BOOST_TEST(headline(league, {"scenario.main_agents=0"}) ==
             "error[E0205]: `main_agents` in [scenario] must be >= 1, found the number 0");
  BOOST_TEST(headline(league, {"scenario.main_exploiters=101"}) ==
             "error[E0205]: `main_exploiters` in [scenario] must be <= 100, found the number 101");
  BOOST_TEST(
      headline(league, {"scenario.pfsp_power=0"}).starts_with("error[E0205]: `pfsp_power` in [scenario] must be > 0"));
  BOOST_TEST(headline(league, {"scenario.match_episodes=7"})
                 .starts_with("error[E0205]: `match_episodes` in [scenario] must be even"));
}

BOOST_AUTO_TEST_CASE(keys_of_another_scenario_are_unknown_with_their_place) {
  const std::string head = "[env]\nid = \"Pendulum-v1\"\n[algorithm]\nid = \"sac\"\n[scenario]\n",
                    tail = "[stop]\nany = [ { iterations = 5 } ]\ntraining.any = [ { env_steps = 500 } ]\n";
  BOOST_TEST(
      failure(head + "id = \"league\"\nmeta_solver = \"nash\"\n" + tail) ==
      "error[E0203]: unknown key `meta_solver` in [scenario]\n"
      " --> a.toml:7:1\n"
      "7 | meta_solver = \"nash\"\n"
      "  | ^^^^^^^^^^^ known here: id, main_agents, main_exploiters, league_exploiters, pfsp, pfsp_power, self_play, "
      "verification, snapshot_win_rate, main_exploiter_reset, league_exploiter_reset, play and match_episodes\n");
  BOOST_TEST(contains(failure(head + "id = \"psro\"\noracle = \"learned\"\nmain_agents = 2\n" + tail),
                      "error[E0203]: unknown key `main_agents` in [scenario]\n"
                      " --> a.toml:8:1\n"
                      "8 | main_agents = 2\n"
                      "  | ^^^^^^^^^^^"));
  BOOST_TEST(headline(kPendulum, {"scenario.self_play=0.5"}) == "error[E0203]: unknown key `self_play` in [scenario]");
}

BOOST_AUTO_TEST_CASE(every_section_refuses_what_it_does_not_know) {
  for (const auto* assignment :
       {"env.cout=3", "strategy.x=1", "scenario.x=1", "stop.some=[]", "eval.evry=1", "checkpoint.evry=1",
        "checkpoint.keep.lst=1", "threshold.\"eval.return.men\"=\">1\"", "sed=1", "stop.any=[{env_step=1}]"})
    BOOST_TEST(headline(kPendulum, {assignment}).starts_with("error[E0203]"), assignment);
}

BOOST_AUTO_TEST_CASE(every_section_refuses_other_types) {
  for (const auto* assignment : {"name=1",
                                 "seed=x",
                                 "env=1",
                                 "env.id=1",
                                 "env.wrap=1",
                                 "algorithm.id=[]",
                                 "algorithm.preset=1",
                                 "algorithm=2",
                                 "scenario.id=2",
                                 "stop=1",
                                 "stop.any=1",
                                 "stop.any=[1]",
                                 "stop.any=[{env_steps=1.5}]",
                                 "stop.any=[{seconds=\"x\"}]",
                                 "stop.any=[{eval_return=true}]",
                                 "stop.any=[{eval_return=1,for=1.5}]",
                                 "eval.every=1.5",
                                 "checkpoint.every=1.5",
                                 "checkpoint.keep=1",
                                 "threshold.\"eval.return.mean\"=1"})
    BOOST_TEST(failure(kPendulum, {assignment}).find("error[E0204]") != std::string::npos, assignment);
}

BOOST_AUTO_TEST_CASE(conditions_have_ranges) {
  for (const auto* condition :
       {"env_steps=0", "env_steps=9007199254740993", "seconds=0", "seconds=inf", "eval_return=nan", "no_improvement=0",
        "eval_return=1,for=0", "eval_return=1,for=1000001"})
    BOOST_TEST(headline(kPendulum, {"stop.any=[{" + std::string(condition) + "}]"}).starts_with("error[E0205]"),
               condition);
}

BOOST_AUTO_TEST_CASE(all_problems_are_found_at_once_in_the_order_of_the_text) {
  const std::string text = "sed = 1\n" + with_line("gamma = 2\nlos = \"mse\"");
  BOOST_TEST(failure(text, {"env.count=0", "x"}) ==
             "error[E0203]: unknown key `sed`\n"
             " --> a.toml:1:1\n"
             "1 | sed = 1\n"
             "  | ^^^ did you mean `seed`?\n"
             "   = also error[E0205] at a.toml:7:9: expected float in (0, 1] for `gamma` of algorithm `sac`, found the "
             "number 2\n"
             "   = also error[E0203] at a.toml:8:1: unknown key `los` for algorithm `sac`\n"
             "   = also error[E0201] at command line: `x` is not an assignment: there is no `=`\n"
             "   = also error[E0205] at command line: `count` in [env] must be >= 1, found the number 0\n");
  try {
    load_text(text);
    BOOST_ERROR("no error");
  } catch (const Errors& errors) {
    BOOST_REQUIRE(errors.all().size() == 3u);
    BOOST_TEST(errors.code() == "E0203");
    BOOST_TEST(errors.all()[1].place()->caret_note == "");
    BOOST_TEST(errors.all()[2].place()->caret_note.starts_with("did you mean `loss`?"));
  }
}

BOOST_AUTO_TEST_CASE(control_characters_of_a_file_do_not_reach_the_terminal) {
  const std::string message = failure("\"a\\u001b[31m\" = 1\n" + kPendulum);
  BOOST_TEST(message.starts_with("error[E0203]: unknown key `a[31m`"));
  BOOST_TEST(message.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
