// The strategy `team`: one learner for all agents.
#include <boost/test/unit_test.hpp>

#include "core/train/numbers.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kTeamDqn =
    "[algorithm]\nid = \"dqn\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 2_000\nwarm_up = 50\nn_steps = 3\n"
    "state_transform = \"normalise\"\nreward_transform = \"normalise\"\n";
const std::string kTeamPpo =
    "[algorithm]\nid = \"ppo\"\nhidden_layers = [16]\nrollout_length = 10\nbatch_size = 20\nnum_epochs = 2\n";

std::string team_experiment(const std::string& env, const std::string& algorithm, uint64_t steps = 300) {
  return "name = \"team\"\n[env]\nid = \"" + env + "\"\ncount = 2\n" + algorithm +
         "[stop]\nany = [{ env_steps = " + std::to_string(steps) + " }]\n[eval]\nevery = 150\nepisodes = 2\n";
}

const std::vector<std::string> kSharedTeam{"strategy.id=team"}, kJointTeam{"strategy.id=team", "strategy.mode=joint"},
    kCentralTeam{"strategy.id=team", "strategy.mode=central_critic"};

/// Options of an off-policy algorithm for continuous actions.
std::string team_of(const std::string& algorithm) {
  return "[algorithm]\nid = \"" + algorithm + "\"\nhidden_layers = [16]\nbatch_size = 16\nwarm_up = 50\n";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(team)

BOOST_AUTO_TEST_CASE(one_agent_is_trained_as_by_independent_learners) {
  for (const std::string& source :
       {team_experiment("CartPole-v1", kTeamDqn), team_experiment("CartPole-v1", kTeamPpo)}) {
    const Numbers alone = numbers_of(source, {});
    BOOST_TEST(alone.metrics.size() > 500u);
    BOOST_TEST((numbers_of(source, kSharedTeam) == alone));
    BOOST_TEST((numbers_of(source, kJointTeam) == alone));
    if (source.find("ppo") != std::string::npos) BOOST_TEST((numbers_of(source, kCentralTeam) == alone));
  }
}

BOOST_AUTO_TEST_CASE(shared_policy_learns_from_the_rows_of_all_agents) {
  TrainingRun run(team_experiment("simple_spread_v3", kTeamDqn), kSharedTeam);
  run.run();
  train::Training& t = run.training();
  BOOST_REQUIRE(t.learners.size() == 1u);
  BOOST_TEST(t.counters.env_steps == 300u);
  BOOST_TEST(t.counters.updates == 251u);                // one after each transition from the 50th on
  BOOST_TEST(t.learners[0]->buffer_rows() == 3 * 300u);  // 25 divides 150: every window is closed
  BOOST_TEST(t.counters.episodes == 12u);                // of the world
  BOOST_TEST(run.evaluations().size() == 2u);
  BOOST_TEST(run.best_return() < 0);
}

BOOST_AUTO_TEST_CASE(rollout_of_a_shared_policy_is_full_after_its_length) {
  TrainingRun run(team_experiment("simple_spread_v3", kTeamPpo), kSharedTeam);
  run.run();
  train::Training& t = run.training();
  BOOST_TEST(t.counters.env_steps == 300u);
  BOOST_TEST(t.counters.updates == 300u / (10 * 2));  // one phase after 10 steps of both copies, of 3 rows each
  BOOST_TEST(t.learners[0]->buffer_rows() == 0u);
}

BOOST_AUTO_TEST_CASE(joint_team_is_one_agent_with_all_actions) {
  TrainingRun run(team_experiment("simple_spread_v3", kTeamDqn), kJointTeam);
  run.run();
  train::Training& t = run.training();
  BOOST_REQUIRE(t.learners.size() == 1u);
  BOOST_TEST(t.learners[0]->agent().observation.name() == "Box(54)");
  BOOST_TEST(t.learners[0]->agent().action.name() == "Discrete(125)");
  BOOST_TEST(t.learners[0]->buffer_rows() == 300u);
  TrainingRun continuous(
      team_experiment("simple_spread_v3_continuous",
                      "[algorithm]\nid = \"sac\"\nhidden_layers = [16]\nbatch_size = 16\nwarm_up = 50\n"),
      kJointTeam);
  continuous.run();
  BOOST_TEST(continuous.training().learners[0]->agent().action.name() == "Box(15)");
}

BOOST_AUTO_TEST_CASE(agents_whose_names_differ_by_a_number_are_a_team) {
  for (const std::string& algorithm : {kTeamDqn, kTeamPpo}) {
    TrainingRun run(team_experiment("simple_tag_v3", algorithm), {"strategy={id=\"team\",teams=\"names\"}"});
    run.run();
    train::Training& t = run.training();
    BOOST_REQUIRE(t.strategy->groups().size() == 2u);
    BOOST_TEST(t.strategy->groups()[0].name == "adversary_*");
    BOOST_TEST(t.strategy->groups()[0].agents == (std::vector<uint32_t>{0, 1, 2}), boost::test_tools::per_element());
    BOOST_TEST(t.strategy->groups()[1].name == "agent_0");  // alone
    BOOST_TEST(t.learners[0]->buffer_rows() == 3 * t.learners[1]->buffer_rows());
    BOOST_TEST(t.counters.updates == (algorithm == kTeamDqn ? 2 * 251u : 2 * 15u));
  }
  TrainingRun apart(team_experiment("simple_speaker_listener_v4", kTeamPpo),
                    {"strategy={id=\"team\",teams=\"names\"}"});
  BOOST_TEST(apart.training().learners.size() == 2u);
  TrainingRun joint(team_experiment("simple_tag_v3", kTeamPpo),
                    {"strategy={id=\"team\",teams=\"names\",mode=\"joint\"}"});
  BOOST_TEST(joint.training().learners[0]->agent().action.name() == "Discrete(125)");
  BOOST_TEST(joint.training().learners[1]->agent().action.name() == "Discrete(5)");
}

BOOST_AUTO_TEST_CASE(central_critics_see_the_team_and_policies_themselves) {
  for (const std::string algorithm : {"ddpg", "d3pg", "d4pg", "sac"}) {
    TrainingRun run(team_experiment("simple_spread_v3_continuous", team_of(algorithm)), kCentralTeam);
    run.run();
    train::Training& t = run.training();
    BOOST_REQUIRE(t.learners.size() == 3u);
    BOOST_TEST(t.counters.env_steps == 300u);
    BOOST_TEST(t.counters.updates == 3 * 251u);
    BOOST_TEST(t.learn_steps == std::vector<uint64_t>(3, 251), boost::test_tools::per_element());
    for (size_t agent = 0; agent < 3; ++agent) {
      BOOST_TEST(t.learners[agent]->name() == "learner/team/agent_" + std::to_string(agent));
      BOOST_TEST(t.learners[agent]->buffer_rows() == 300u);
      BOOST_TEST(t.learners[agent]->networks().find("actor")->spec().inputs[0].shape == std::vector<int64_t>{18},
                 boost::test_tools::per_element());
      BOOST_TEST(t.learners[agent]->networks().find("critic")->spec().inputs[0].shape == std::vector<int64_t>{54},
                 boost::test_tools::per_element());
      BOOST_TEST(t.learners[agent]->networks().find("critic")->spec().inputs[1].shape == std::vector<int64_t>{15},
                 boost::test_tools::per_element());
    }
    BOOST_TEST(run.evaluations().size() == 2u);
  }
}

BOOST_AUTO_TEST_CASE(values_of_ppo_see_the_team) {
  TrainingRun run(team_experiment("simple_tag_v3", kTeamPpo), kCentralTeam);
  run.run();
  train::Training& t = run.training();
  BOOST_REQUIRE(t.learners.size() == 4u);
  BOOST_TEST(t.counters.updates == 4 * 15u);
  for (const auto& learner : t.learners) {
    BOOST_TEST(learner->buffer_rows() == 0u);
    BOOST_TEST(learner->networks().find("critic")->spec().inputs[0].shape == std::vector<int64_t>{3 * 16 + 14},
               boost::test_tools::per_element());
  }
  TrainingRun names(team_experiment("simple_tag_v3", kTeamPpo),
                    {"strategy={id=\"team\",teams=\"names\",mode=\"central_critic\"}"});
  names.run();
  BOOST_TEST(names.training().learners[0]->name() == "learner/adversary_*/adversary_0");
  BOOST_TEST(names.training().learners[3]->name() == "learner/agent_0");
  BOOST_TEST(names.training().counters.updates == 4 * 15u);
}

BOOST_AUTO_TEST_CASE(threads_change_no_number_of_central_critics) {
  const std::string source = team_experiment("simple_spread_v3_continuous", team_of("sac"));
  BOOST_TEST((numbers_of(source, kCentralTeam, 2) == numbers_of(source, kCentralTeam, 1)));
}

BOOST_AUTO_TEST_CASE(players_with_central_critics_are_judged) {
  TrainingRun run(team_experiment("climbing", kTeamPpo), kCentralTeam);
  run.run();
  BOOST_TEST(run.training().nash_conv.has_value());
}

BOOST_AUTO_TEST_CASE(policy_shared_by_players_who_take_turns_is_judged) {
  TrainingRun run(team_experiment("kuhn_poker", kTeamPpo), kSharedTeam);
  run.run();
  BOOST_REQUIRE(run.training().learners.size() == 1u);
  BOOST_REQUIRE(run.training().nash_conv.has_value());
  BOOST_TEST(*run.training().nash_conv > 0);
}

BOOST_AUTO_TEST_CASE(joint_team_has_no_nash_conv_and_is_said_so) {
  TrainingRun run(team_experiment("climbing", kTeamDqn), kJointTeam);
  run.run();
  BOOST_TEST(!run.training().nash_conv.has_value());
  BOOST_TEST(run.training().why_not_judged == "players who choose together have no strategies of their own");
  TrainingRun shared(team_experiment("climbing", kTeamDqn), kSharedTeam);
  BOOST_TEST(shared.training().why_not_judged == "");
}

BOOST_AUTO_TEST_CASE(agents_that_do_not_go_together_are_refused) {
  const auto told = [](const std::string& env, const std::vector<std::string>& assignments,
                       const std::string& algorithm = kTeamPpo) {
    try {
      TrainingRun run(team_experiment(env, algorithm), assignments);
      run.run();
      return std::string("nothing was thrown");
    } catch (const Error& error) {
      return error.code() + " " + error.what();
    }
  };
  BOOST_TEST(told("simple_tag_v3", kSharedTeam) ==
             "E0310 environment `org.spar.mpe/simple_tag_v3`: the agents `adversary_0` and `agent_0` cannot share a "
             "policy, because their spaces differ: `adversary_0` has observations Box(16) and actions Discrete(5), "
             "`agent_0` has observations Box(14) and actions Discrete(5)");
  BOOST_TEST(told("kuhn_poker", kJointTeam) ==
             "E0310 environment `org.spar.games/kuhn_poker`: the agents `player_0` and `player_1` take turns, so they "
             "have no joint actions; expected agents that always move together");
  BOOST_TEST(told("simple_tag_v3", kJointTeam) == "nothing was thrown");
  BOOST_TEST(told("kuhn_poker", kCentralTeam) ==
             "E0310 environment `org.spar.games/kuhn_poker`: the agents `player_0` and `player_1` take turns, which a "
             "central critic cannot see; expected agents that always move together");
  for (const std::string algorithm : {"dqn", "rainbow"})
    BOOST_TEST(told("simple_spread_v3", kCentralTeam, team_of(algorithm)) ==
               "E0705 algorithm `org.spar." + algorithm + "` has no central critic, which the strategy asks for");
  BOOST_TEST(
      told("simple_spread_v3", kCentralTeam,
           kTeamPpo + "actor_number_updates = 1\ncritic_number_updates = 1\nshared_trunk = true\n") ==
      "E0702 algorithm `org.spar.ppo`: PPO with a central critic has a policy that sees one agent and values that "
      "see the team, found shared_trunk = true: set it to false");
  BOOST_TEST(told("simple_spread_v3_continuous", kCentralTeam, team_of("ddpg") + "network = \"cnn\"\n")
                 .starts_with("E0702 algorithm `org.spar.ddpg`: DDPG with network = \"cnn\" needs frames"));
}

BOOST_AUTO_TEST_SUITE_END()
