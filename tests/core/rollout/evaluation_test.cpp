#include "core/rollout/evaluation.hpp"

#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Lengths differ by seed: a copy's episode lasts 2 + seed % 5 steps, of reward 1.
struct Exam {
  explicit Exam(uint64_t copies) {
    world.terminated = [](const Moment& m) { return m.t >= 2 + m.seed % 5; };
    environment = make_environment(world, copies);
  }
  ScriptedEnvironment world;
  std::unique_ptr<rollout::Environment> environment;
};

std::vector<uint64_t> seeds_used(const ScriptedEnvironment& world, uint64_t first, uint64_t episodes) {
  std::vector<uint64_t> used;
  for (const auto& reset : world.resets) {
    for (size_t i = 0; i < reset.seeds.size(); ++i) {
      if (!reset.mask.empty() && !reset.mask[i]) continue;
      if (reset.seeds[i] >= first && reset.seeds[i] < first + episodes) used.push_back(reset.seeds[i]);
      BOOST_TEST((reset.seeds[i] >= first && reset.seeds[i] < first + episodes));
    }
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout_evaluation)

BOOST_AUTO_TEST_CASE(plays_exactly_the_episodes_asked_for_each_with_its_seed) {
  ScriptedEnvironment training;
  ScriptedAlgorithm script;
  Stage stage(training, script, 4);
  for (const uint64_t copies : {1u, 3u, 4u}) {
    Exam exam(copies);
    const auto returns = rollout::evaluate(*exam.environment, {{stage.learners[0].get()}}, 0, 10, 1'000);
    BOOST_REQUIRE(returns.size() == 10u);
    for (uint64_t k = 0; k < 10; ++k) BOOST_TEST(returns[k] == static_cast<double>(2 + (1'000 + k) % 5));
    BOOST_TEST(seeds_used(exam.world, 1'000, 10).size() == 10u);
  }
}

BOOST_AUTO_TEST_CASE(acts_greedily_for_live_copies_only) {
  ScriptedEnvironment training;
  ScriptedAlgorithm script;
  Stage stage(training, script, 3);
  Exam exam(3);
  rollout::evaluate(*exam.environment, {{stage.learners[0].get()}}, 0, 3, 1'000);  // lengths 2, 3 and 4
  BOOST_REQUIRE(script.acted.size() == 4u);
  const std::vector<uint64_t> rows = {3, 3, 2, 1};
  for (size_t i = 0; i < 4; ++i) {
    BOOST_TEST(script.acted[i].mode == static_cast<uint32_t>(SPAR_MODE_GREEDY));
    BOOST_TEST(script.acted[i].rows == rows[i]);
  }
  BOOST_TEST(script.acted[3].lanes == (std::vector<uint64_t>{2}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[3].obs == (std::vector<float>{201'003}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[0].first == (std::vector<uint8_t>{1, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(script.acted[1].first == (std::vector<uint8_t>{0, 0, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(time_limit_ends_episodes) {
  ScriptedEnvironment training;
  ScriptedAlgorithm script;
  Stage stage(training, script);
  Exam exam(1);
  for (const double total : rollout::evaluate(*exam.environment, {{stage.learners[0].get()}}, 3, 5, 1'000))
    BOOST_TEST(total <= 3);
}

BOOST_AUTO_TEST_CASE(truncation_by_the_environment_ends_episodes_and_idle_copies_start_afresh) {
  ScriptedEnvironment training;
  ScriptedAlgorithm script;
  Stage stage(training, script, 2);
  ScriptedEnvironment world;
  world.agents[0].columns = {"truncated"};
  uint64_t longest = 0;
  world.truncated = [&](const Moment& m) {
    longest = std::max(longest, m.t);
    return m.t == (m.copy == 0 ? 2 : 7);
  };
  const auto environment = make_environment(world, 2);
  const auto returns = rollout::evaluate(*environment, {{stage.learners[0].get()}}, 0, 2, 1'000);
  BOOST_TEST(returns == (std::vector<double>{2, 7}), boost::test_tools::per_element());
  BOOST_TEST(longest == 7u);
  BOOST_TEST(world.resets.size() == 5u);  // at the start, copy 0 after 2, 4 and 6 steps, copy 1 after 7
}

BOOST_AUTO_TEST_CASE(return_is_the_mean_over_the_agents) {
  ScriptedEnvironment world;
  world.agents.resize(2);
  world.agents[1].id = "agent_1";
  world.reward = [](const Moment&, size_t agent) { return agent == 0 ? 1.0F : 4.0F; };
  world.terminated = [](const Moment& m) { return m.t == 2; };
  ScriptedAlgorithm script;
  Stage stage(world, script);
  const auto environment = make_environment(world);
  const auto returns =
      rollout::evaluate(*environment, {{stage.learners[0].get()}, {stage.learners[1].get()}}, 0, 1, 1'000);
  BOOST_TEST(returns == (std::vector<double>{5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(training_state_is_the_same_before_and_after) {
  ScriptedEnvironment training;
  training.terminated = [](const Moment& m) { return m.t == 3; };
  ScriptedAlgorithm script;
  script.needs.state_transform = script.needs.reward_transform = "normalise";
  script.needs.n_step = 3;
  Stage stage(training, script, 2);
  stage.start();
  stage.steps(8);
  const auto before = stage.save();
  Exam exam(2);
  rollout::evaluate(*exam.environment, {{stage.learners[0].get()}}, 0, 7, 1'000);
  BOOST_TEST((stage.save() == before));
}

BOOST_AUTO_TEST_CASE(cancelled_evaluation_has_no_result) {
  ScriptedEnvironment training;
  ScriptedAlgorithm script;
  Stage stage(training, script);
  Exam exam(1);
  int asked = 0;
  const auto returns =
      rollout::evaluate(*exam.environment, {{stage.learners[0].get()}}, 0, 10, 1'000, [&] { return ++asked == 5; });
  BOOST_TEST(returns.empty());
  BOOST_TEST(asked == 5);
  BOOST_TEST(script.acted.size() == 4u);
}

BOOST_AUTO_TEST_SUITE_END()
