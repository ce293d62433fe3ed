#include "core/rollout/players.hpp"

#include <map>

#include "core/rollout/actions.hpp"
#include "core/rollout/evaluation.hpp"
#include "core/rollout/fixture.hpp"
#include "spar/environment.hpp"
#include "spar/plugin.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Two agents, four actions each; agent i is paid 1 + i in every step, episodes last 3 steps.
struct PaidPair : ScriptedEnvironment {
  PaidPair() {
    agents = {Agent{}, Agent{}};
    agents[1].id = "agent_1";
    terminated = [](const Moment& m) { return m.t == 3; };
    reward = [](const Moment&, size_t agent) { return 1.0F + static_cast<float>(agent); };
  }
};

/// Its words try to steer the terminal.
struct WildWords : spar::Environment {
  static constexpr const char *id = "org.example.wild", *version = "1.0.0", *title = "Wild words";
  struct State {
    int64_t t;
  };
  using Action = int64_t;
  spar::World world() const { return {spar::Space::box({0}, {9}), spar::Space::discrete(2)}; }
  void reset(State& s, spar::NumpyRandom&) const { s.t = 0; }
  spar::Outcome step(State& s, Action, spar::NumpyRandom&) const { return {0.0, ++s.t == 3}; }
  void observe(const State&, float* obs) const { obs[0] = 0; }
  std::string text(const State& s, size_t) const {
    return "\x1b[2Jt is\r " + std::to_string(s.t) + "\n\nno end of line";
  }
  std::string action_name(const State&, size_t, int64_t action) const { return action == 0 ? "\x07stay\n" : ""; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(players)

BOOST_AUTO_TEST_CASE(uniform_play_draws_from_what_is_allowed_and_nothing_else) {
  PaidPair world;
  for (auto& agent : world.agents) agent.columns = {"action_mask"};
  world.allows = [](const Moment& m, size_t, size_t action) { return action != m.t && action != 3; };
  const auto environment = make_environment(world, 5);
  environment->reset(nullptr, nullptr);
  rollout::UniformPlayer player(*environment, 1, Philox(1, "players"));
  rollout::Batch actions(5);
  rollout::add_action_column(actions, environment->agents()[1].action);
  std::map<int64_t, int> drawn;
  for (int i = 0; i < 500; ++i) {
    player.act({0, 3}, actions);  // t = 0: 1 and 2
    for (size_t row = 0; row < 2; ++row) ++drawn[actions.data<int64_t>(0)[row]];
  }
  BOOST_TEST(drawn.size() == 2u);
  BOOST_TEST(drawn[1] > 420);
  BOOST_TEST(drawn[2] > 420);
}

BOOST_AUTO_TEST_CASE(match_ups_count_the_returns_of_every_agent) {
  PaidPair world;
  const auto environment = make_environment(world, 2);
  rollout::UniformPlayer first(*environment, 0, Philox(1, "a")), second(*environment, 1, Philox(1, "b"));
  const rollout::Returns returns = rollout::play(*environment, {{nullptr, &first}, {nullptr, &second}}, 0, 5, 1'000);
  BOOST_TEST(returns.mean == std::vector<double>(5, 4.5), boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(returns.by_agent.size() == 2u);
  BOOST_TEST(returns.by_agent[0] == std::vector<double>(5, 3), boost::test_tools::per_element());
  BOOST_TEST(returns.by_agent[1] == std::vector<double>(5, 6), boost::test_tools::per_element());
  const rollout::Returns cut = rollout::play(*environment, {{nullptr, &first}, {nullptr, &second}}, 2, 3, 1'000);
  BOOST_TEST(cut.by_agent[1] == std::vector<double>(3, 4), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(words_of_an_environment_cannot_steer_a_terminal) {
  const spar_component& component = *spar::detail::component<WildWords>();
  const spar_config none{sizeof none, 0, nullptr};
  rollout::Environment environment(scripted_host(), component, none, 2, 1, "environment");
  const uint64_t seeds[2] = {1, 2};
  environment.reset(nullptr, seeds);
  BOOST_TEST_REQUIRE(environment.has_text());
  BOOST_TEST(environment.text(1, 0) == "[2Jt is 0\n\nno end of line\n");
  BOOST_TEST(environment.action_name(1, 0, 0) == "stay");
  BOOST_TEST(environment.action_name(1, 0, 1) == "");
  BOOST_TEST(error_of([&] { environment.text(1, 4); }) ==
             "E0701 environment `org.example.wild` failed in text.position(): there is no agent 4: the last one is 0");
  PaidPair silent;
  BOOST_TEST(!make_environment(silent)->has_text());
}

BOOST_AUTO_TEST_SUITE_END()
