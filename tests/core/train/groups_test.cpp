// Groups of agents with algorithms of their own.
#include <boost/test/unit_test.hpp>

#include "core/train/numbers.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kGroupEnd = "[stop]\nany = [{ env_steps = 300 }]\n[eval]\nevery = 150\nepisodes = 2\n";
const std::string kGroupDqn =
    "{ id = \"dqn\", hidden_layers = [16], batch_size = 16, buffer_size = 2_000, warm_up = 50 }";
const std::string kGroupPpo =
    "{ id = \"ppo\", hidden_layers = [16], rollout_length = 10, batch_size = 20, num_epochs = 2 }";

std::string group_text(const std::string& name, const std::string& agents, const std::string& algorithm = "") {
  return "[[group]]\nname = \"" + name + "\"\nagents = [" + agents + "]\n" +
         (algorithm.empty() ? "" : "algorithm = " + algorithm + "\n");
}

std::string groups_experiment(const std::string& groups, const std::string& env = "simple_tag_v3") {
  return "name = \"groups\"\nalgorithm = " + kGroupDqn + "\n[env]\nid = \"" + env + "\"\ncount = 2\n" + groups +
         kGroupEnd;
}

const std::string kGroupTag =
    groups_experiment(group_text("predators", "\"adversary_*\"", kGroupPpo) + group_text("prey", "\"agent_0\""));

/// The whole message without the directory of the file.
std::string groups_told(const std::string& source, const std::vector<std::string>& assignments = {}) {
  try {
    TrainingRun run(source, assignments);
  } catch (const Error& error) {
    std::string out = error.render();
    const size_t at = out.find("--> "), end = out.find("experiment.toml");
    return at == std::string::npos || end == std::string::npos ? out : out.erase(at + 4, end - at - 4);
  }
  return "nothing was thrown";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(groups)

BOOST_AUTO_TEST_CASE(each_group_is_trained_by_its_algorithm_and_shares_a_policy) {
  TrainingRun run(kGroupTag);
  run.run();
  train::Training& t = run.training();
  BOOST_REQUIRE(t.learners.size() == 2u);
  BOOST_TEST(t.learners[0]->name() == "learner/predators");
  BOOST_TEST(t.learners[0]->label() == "algorithm `org.spar.ppo`");
  BOOST_TEST(t.learners[1]->name() == "learner/prey");
  BOOST_TEST(t.learners[1]->label() == "algorithm `org.spar.dqn`");
  BOOST_TEST(t.strategy->groups()[0].agents == (std::vector<uint32_t>{0, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(t.joined[0]->rows_per_copy() == 3u);
  BOOST_TEST(t.learn_steps[0] == 300u / (10 * 2));  // one phase after 10 steps of both copies
  BOOST_TEST(t.learn_steps[1] == 251u);             // one after each transition from the 50th on
  BOOST_TEST(t.learners[1]->buffer_rows() == 300u);
  BOOST_TEST(run.evaluations().size() == 2u);
}

BOOST_AUTO_TEST_CASE(groups_of_one_agent_are_independent_learners) {
  const std::string alone = groups_experiment("");
  const auto named = [](const std::string& agent) { return group_text(agent, "\"" + agent + "\""); };
  const std::string adversaries = named("adversary_0") + named("adversary_1") + named("adversary_2");
  const Numbers expected = numbers_of(alone, {});
  BOOST_TEST((numbers_of(groups_experiment(adversaries + named("agent_0")), {}) == expected));
  BOOST_TEST((numbers_of(alone, {"mapping=identity"}) == expected));
  // In another order losses are added up in another order, and the parameters are the same.
  BOOST_TEST(numbers_of(groups_experiment(named("agent_0") + adversaries), {}).sha256 == expected.sha256);
}

BOOST_AUTO_TEST_CASE(shared_mapping_is_one_group_of_all) {
  const std::string spread = groups_experiment("", "simple_spread_v3");
  const Numbers shared = numbers_of(spread, {"mapping=shared"});
  BOOST_TEST((numbers_of(spread, {"mapping=shared", "strategy.id=team"}) == shared));
  BOOST_TEST((numbers_of(groups_experiment(group_text("shared", "\"*\""), "simple_spread_v3"), {}) == shared));
  BOOST_TEST(numbers_of(spread, {}).sha256 != shared.sha256);
}

BOOST_AUTO_TEST_CASE(groups_are_the_teams) {
  TrainingRun joint(kGroupTag, {"strategy={id=\"team\",mode=\"joint\"}"});
  BOOST_TEST(joint.training().learners[0]->label() == "algorithm `org.spar.ppo`");
  BOOST_TEST(joint.training().learners[0]->agent().action.name() == "Discrete(125)");
  BOOST_TEST(joint.training().learners[1]->agent().action.name() == "Discrete(5)");
  BOOST_TEST((numbers_of(kGroupTag, {"strategy.id=team"}) == numbers_of(kGroupTag, {})));
  BOOST_TEST(groups_told(kGroupTag, {"strategy={id=\"team\",teams=\"names\"}"}) ==
             "error[E0702]: strategy `org.spar.team`: the groups of the experiment are the teams: leave `teams` out\n");
}

BOOST_AUTO_TEST_CASE(run_of_groups_goes_on_where_it_was_saved) {
  TrainingRun whole(kGroupTag), parts(kGroupTag), again(kGroupTag);
  whole.run();
  checkpoint::Checkpoint middle;
  parts.at_evaluations([&] {
    if (middle.sections.empty()) middle = parts.training().snapshot("{}");
  });
  parts.run();
  BOOST_TEST(middle.step == 150u);
  again.training().restore(middle);
  again.go_on();
  BOOST_TEST(again.training().parameters_sha256() == whole.training().parameters_sha256());
}

BOOST_AUTO_TEST_CASE(every_agent_is_in_exactly_one_group) {
  const std::string all =
      "; environment `org.spar.mpe/simple_tag_v3` has the agents adversary_0, adversary_1, adversary_2 and agent_0\n";
  BOOST_TEST(groups_told(groups_experiment(group_text("predators", "\"adversary_*\"") +
                                           group_text("prey", "\"agent_0\", \"adversary_1\""))) ==
             "error[E0311]: agent `adversary_1` is in two groups, `predators` and `prey`; expected one\n"
             " --> experiment.toml:11:22\n"
             "11 | agents = [\"agent_0\", \"adversary_1\"]\n"
             "   |                      ^^^^^^^^^^^^^\n"
             "   = leave it out of one of them" +
                 all);
  BOOST_TEST(groups_told(groups_experiment(group_text("predators", "\"adversary_*\""))) ==
             "error[E0311]: agent `agent_0` is in no group\n"
             " --> experiment.toml:7:8\n"
             "7 | name = \"predators\"\n"
             "  |        ^^^^^^^^^^^\n"
             "   = add it to the `agents` of a group, or give it one of its own" +
                 all);
  BOOST_TEST(groups_told(groups_experiment(group_text("all", "\"*\"") + group_text("prey", "\"agnt_0\""))) ==
             "error[E0311]: `agnt_0` of the group `prey` matches no agent\n"
             " --> experiment.toml:11:11\n"
             "11 | agents = [\"agnt_0\"]\n"
             "   |           ^^^^^^^^ did you mean `agent_0`?\n"
             "   = write one of its agents" +
                 all);
}

BOOST_AUTO_TEST_CASE(agents_of_a_group_have_equal_spaces) {
  BOOST_TEST(groups_told(groups_experiment(group_text("all", "\"*\""))) ==
             "error[E0310]: environment `org.spar.mpe/simple_tag_v3`: the agents `adversary_0` and `agent_0` cannot "
             "share a policy, because their spaces differ: `adversary_0` has observations Box(16) and actions "
             "Discrete(5), `agent_0` has observations Box(14) and actions Discrete(5)\n"
             " --> experiment.toml:7:8\n"
             "7 | name = \"all\"\n"
             "  |        ^^^^^\n"
             "   = put agents whose spaces are equal into one group, others into another\n");
}

BOOST_AUTO_TEST_SUITE_END()
