#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

#include "plugins/environments/environment_copies.hpp"
#include "support/json_file.hpp"

using namespace spar::test;
namespace data = boost::unit_test::data;
namespace json = boost::json;

namespace {

const spar_component& probe_environment(const std::string& id) {
  return environment_component("probe", "org.spar.probe/" + id);
}

json::value golden(const char* name) { return json_file("golden_environments.json").at(name); }
json::value values() { return golden("probe.values").at("expected"); }
double gamma_of(const char* name) { return real(golden(name).at("inputs").at("gamma")); }

/// Chooses for copy `row`: -1 or +1 as the discrete action 0 or 1, or as the number itself.
void choose(EnvironmentCopies& copies, int sign, uint64_t row = 0) {
  if (copies.agent().act->kind == SPAR_SPACE_DISCRETE)
    copies.discrete(row) = sign > 0 ? 1 : 0;
  else
    copies.box(row)[0] = static_cast<float>(sign);
}

/// Puts copy 0 of a probe whose state is one integer into that state.
void put(EnvironmentCopies& copies, int64_t state) {
  Bytes saved = copies.save(0);
  std::memcpy(saved.data() + 8, &state, sizeof state);
  BOOST_REQUIRE_EQUAL(copies.try_load(0, saved), SPAR_OK);
}

const std::vector<const char*> kKinds = {"", "_continuous"};

}  // namespace

BOOST_AUTO_TEST_SUITE(probe)

BOOST_DATA_TEST_CASE(one_step_reward_is_1_whatever_is_done, data::make(kKinds), kind) {
  EnvironmentCopies copies(probe_environment(std::string("one_step_reward") + kind), 1);
  for (const int sign : {-1, 1}) {
    copies.reset_all(0);
    BOOST_TEST(copies.obs()[0] == 0);
    choose(copies, sign);
    copies.step();
    BOOST_TEST(copies.reward() == real(values().at("P1_one_step_reward1_V")));
    BOOST_TEST(copies.terminated() == 1);
  }
}

BOOST_DATA_TEST_CASE(obs_value_pays_its_observation_and_shows_both, data::make(kKinds), kind) {
  EnvironmentCopies copies(probe_environment(std::string("obs_value") + kind), 32);
  std::vector<uint64_t> seeds(32);
  for (uint64_t i = 0; i < 32; ++i) seeds[i] = i;
  copies.reset(nullptr, seeds.data());
  std::set<float> seen;
  std::vector<float> shown(32);
  for (uint64_t row = 0; row < 32; ++row) {
    seen.insert(shown[row] = copies.obs(row)[0]);
    choose(copies, row % 2 ? 1 : -1, row);
  }
  BOOST_TEST((seen == std::set<float>{-1, 1}));
  copies.step();
  for (uint64_t row = 0; row < 32; ++row) {
    const char* key = shown[row] < 0 ? "-1" : "1";
    BOOST_TEST(copies.reward(row) == real(values().at("P2_obs_pm1_reward_obs_V").at(key)));
    BOOST_TEST(copies.terminated(row) == 1);
  }
}

BOOST_DATA_TEST_CASE(two_step_pays_at_the_second_step, data::make(kKinds), kind) {
  EnvironmentCopies copies(probe_environment(std::string("two_step") + kind), 1);
  copies.reset_all(0);
  BOOST_TEST(copies.obs()[0] == 0);
  choose(copies, 1);
  copies.step();
  const double first = copies.reward();
  BOOST_TEST(copies.terminated() == 0);
  BOOST_TEST(copies.obs()[0] == 1);
  copies.step();
  const double second = copies.reward();
  BOOST_TEST(copies.terminated() == 1);
  const json::value expected = values().at("P3_two_step_V");
  BOOST_TEST(second == real(expected.at("s1")));
  BOOST_TEST(first + gamma_of("probe.values") * second == real(expected.at("s0")));
}

BOOST_DATA_TEST_CASE(two_actions_pay_minus_1_and_plus_1, data::make(kKinds), kind) {
  EnvironmentCopies copies(probe_environment(std::string("two_actions") + kind), 1);
  for (const auto& [sign, key] : {std::pair(-1, "a0"), std::pair(1, "a1")}) {
    copies.reset_all(0);
    choose(copies, sign);
    copies.step();
    BOOST_TEST(copies.reward() == real(values().at("P4_two_actions_rewards_pm1_Q").at(key)));
    BOOST_TEST(copies.terminated() == 1);
  }
}

BOOST_DATA_TEST_CASE(match_obs_pays_by_the_sign_of_its_observation, data::make(kKinds), kind) {
  EnvironmentCopies copies(probe_environment(std::string("match_obs") + kind), 1);
  std::set<std::pair<float, int>> seen;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    for (const int sign : {-1, 1}) {
      copies.reset_all(seed);
      const float shown = copies.obs()[0];
      seen.insert({shown, sign});
      choose(copies, sign);
      copies.step();
      const char* key = static_cast<float>(sign) == shown ? "match" : "miss";
      BOOST_TEST(copies.reward() == real(values().at("P5_reward_1_if_action_matches_obs_Q").at(key)));
      BOOST_TEST(copies.terminated() == 1);
    }
  }
  BOOST_TEST(seen.size() == 4U);
}

BOOST_DATA_TEST_CASE(truncated_forever_never_ends_by_itself, data::make(kKinds), kind) {
  EnvironmentCopies copies(probe_environment(std::string("truncated_forever") + kind), 1);
  BOOST_TEST(copies.world().time_limit == 5U);
  copies.reset_all(0);
  const double gamma_of_probes = gamma_of("probe.values");
  double value = 0, factor = 1;
  for (int i = 0; i < 3000; ++i) {
    choose(copies, i % 2 ? 1 : -1);
    copies.step();
    BOOST_REQUIRE_EQUAL(copies.terminated(), 0);
    BOOST_REQUIRE_EQUAL(copies.obs()[0], 0);
    value += factor * copies.reward();
    factor *= gamma_of_probes;
  }
  BOOST_TEST(value == real(values().at("P6_truncated_forever_V")), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(continuous_probes_pay_in_proportion_to_the_action) {
  EnvironmentCopies two(probe_environment("two_actions_continuous"), 1),
      match(probe_environment("match_obs_continuous"), 1);
  two.reset_all(0);
  match.reset_all(0);
  two.box()[0] = match.box()[0] = 0.25F;
  const float shown = match.obs()[0];
  two.step();
  match.step();
  BOOST_TEST(two.reward() == 0.25F);
  BOOST_TEST(match.reward() == 0.25F * shown);
}

BOOST_AUTO_TEST_CASE(masked_forbids_one_action_at_a_time_and_pays_the_second_one) {
  constexpr uint64_t kCopies = 60;
  EnvironmentCopies copies(probe_environment("masked"), kCopies, {{"n", 4}});
  std::vector<uint64_t> seeds(kCopies);
  for (uint64_t i = 0; i < kCopies; ++i) seeds[i] = i;
  copies.reset(nullptr, seeds.data());
  std::set<long> forbidden[2];
  double best = 0;
  for (const int step : {0, 1}) {
    std::vector<double> expected;
    for (uint64_t row = 0; row < kCopies; ++row) {
      BOOST_TEST(copies.obs(row)[0] == static_cast<float>(step));
      const auto* mask = copies.column(0, "action_mask").as<uint8_t>() + 4 * row;
      BOOST_REQUIRE_EQUAL(std::count(mask, mask + 4, 1), 3);
      const long not_this = std::find(mask, mask + 4, 0) - mask;
      forbidden[step].insert(not_this);
      best += step == 1 ? (not_this == 3 ? 2 : 3) : 0;
      copies.discrete(row) = row == 7 ? not_this : (not_this + 1) % 4;
      expected.push_back(row == 7 ? -100 : step == 0 ? 0 : static_cast<double>((not_this + 1) % 4));
    }
    copies.step();
    for (uint64_t row = 0; row < kCopies; ++row) {
      BOOST_TEST(copies.reward(row) == expected[row]);
      BOOST_TEST(copies.terminated(row) == step);
    }
  }
  for (const auto& set : forbidden) BOOST_TEST(set.size() == 4u);
  BOOST_TEST(std::abs(best / kCopies - 2.75) < 0.17);  // n - 1 - 1/n, three standard errors
  const auto* ended = copies.column(0, "action_mask").as<uint8_t>();
  BOOST_TEST(std::count(ended, ended + 4 * kCopies, 0) == static_cast<long>(4 * kCopies));
}

BOOST_AUTO_TEST_CASE(corridor_has_the_golden_action_values) {
  const json::value expected = golden("probe.corridor").at("expected");
  const double gamma = gamma_of("probe.corridor");
  EnvironmentCopies copies(probe_environment("corridor"), 1);
  copies.reset_all(0);
  BOOST_REQUIRE_EQUAL(copies.obs_width(), 5U);
  double value[5] = {};
  for (int sweep = 0; sweep < 20; ++sweep) {
    for (int64_t cell = 0; cell < 4; ++cell) {
      double q[2];
      for (const int64_t action : {0, 1}) {
        put(copies, cell);
        copies.discrete() = action;
        copies.step();
        const auto* obs = copies.obs();
        BOOST_REQUIRE_EQUAL(std::count(obs, obs + 5, 1.0F), 1);
        BOOST_REQUIRE_EQUAL(std::count(obs, obs + 5, 0.0F), 4);
        const auto next = std::find(obs, obs + 5, 1.0F) - obs;
        BOOST_REQUIRE_EQUAL(copies.terminated() == 1, next == 4);
        q[action] = copies.reward() + (copies.terminated() ? 0 : gamma * value[next]);
      }
      value[cell] = std::max(q[0], q[1]);
      if (sweep == 19) {
        BOOST_TEST(std::fabs(q[0] - real(expected.at(std::to_string(cell)).at("left"))) <= 1e-9);
        BOOST_TEST(std::fabs(q[1] - real(expected.at(std::to_string(cell)).at("right"))) <= 1e-9);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(corridor_starts_in_every_cell_but_the_goal) {
  EnvironmentCopies copies(probe_environment("corridor"), 64, {{"cells", 7}});
  BOOST_REQUIRE_EQUAL(copies.obs_width(), 7U);
  BOOST_TEST(copies.world().time_limit == 140U);
  std::vector<uint64_t> seeds(64);
  for (uint64_t i = 0; i < 64; ++i) seeds[i] = i;
  copies.reset(nullptr, seeds.data());
  std::set<long> starts;
  for (uint64_t row = 0; row < 64; ++row) {
    const auto* obs = copies.obs(row);
    starts.insert(std::find(obs, obs + 7, 1.0F) - obs);
  }
  BOOST_TEST((starts == std::set<long>{0, 1, 2, 3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(a_state_of_another_configuration_is_refused) {
  EnvironmentCopies corridor(probe_environment("corridor"), 1), identity(probe_environment("identity"), 1);
  for (EnvironmentCopies* copies : {&corridor, &identity}) {
    copies->reset_all(0);
    for (const int64_t wrong : {int64_t{5}, int64_t{-1}, INT64_MAX}) {
      Bytes saved = copies->save(0);
      std::memcpy(saved.data() + 8, &wrong, sizeof wrong);
      BOOST_TEST(copies->try_load(0, saved) == SPAR_E_INVALID);
      BOOST_TEST(copies->message().find("was it saved under another?") != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(continuous_bandit_has_the_golden_optimum_and_average) {
  const json::value expected = golden("probe.continuous_bandit").at("expected");
  constexpr uint64_t kPoints = 4001;
  EnvironmentCopies copies(probe_environment("continuous_bandit"), kPoints);
  BOOST_TEST(copies.agent().act->low[0] == -1);
  BOOST_TEST(copies.agent().act->high[0] == 3);
  copies.reset_all(0);
  for (uint64_t i = 0; i < kPoints; ++i)
    copies.box(i)[0] = static_cast<float>(-1 + 4.0 * static_cast<double>(i) / 4000);
  copies.step();
  double sum = 0;
  uint64_t best = 0;
  for (uint64_t i = 0; i < kPoints; ++i) {
    BOOST_REQUIRE_EQUAL(copies.terminated(i), 1);
    sum += copies.reward(i) * (i == 0 || i == kPoints - 1 ? 0.5 : 1.0);
    if (copies.reward(i) > copies.reward(best)) best = i;
  }
  BOOST_TEST(copies.box(best)[0] == real(expected.at("a")));
  BOOST_TEST(copies.reward(best) == real(expected.at("best_return")));
  BOOST_TEST(std::fabs(sum / 4000 - real(expected.at("uniform_random_mean_return"))) < 1e-4);
}

BOOST_AUTO_TEST_CASE(dimensions_of_the_continuous_bandit_differ_in_bounds_and_target) {
  EnvironmentCopies copies(probe_environment("continuous_bandit"), 2, {{"n", 3}});
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(copies.agent().act->low[i] == -(i + 1));
    BOOST_TEST(copies.agent().act->high[i] == 3 * (i + 1));
  }
  copies.reset_all(0);
  const float best[] = {2, 4, 6}, other[] = {2, 0, 9};
  std::copy_n(best, 3, copies.box(0));
  std::copy_n(other, 3, copies.box(1));
  copies.step();
  BOOST_TEST(copies.reward(0) == 0);
  BOOST_TEST(copies.reward(1) == static_cast<float>(-(4.0 + 1.0) / 3));
}

BOOST_AUTO_TEST_CASE(a_bandit_whose_bounds_are_upside_down_is_refused) {
  BOOST_CHECK_EXCEPTION(
      EnvironmentCopies(probe_environment("continuous_bandit"), 1, {{"low", 4}}), std::runtime_error,
      [](const std::runtime_error& e) { return std::string(e.what()).find("bound 0 of a box is upside down") == 0; });
}

BOOST_AUTO_TEST_CASE(identity_pays_1_for_each_symbol_repeated) {
  EnvironmentCopies copies(probe_environment("identity"), 2, {{"n", 3}, {"length", 50}});
  BOOST_TEST(copies.world().time_limit == 50U);
  BOOST_TEST(copies.agent().act->n == 3);
  copies.reset_all(4);
  std::set<long> symbols;
  for (int step = 0; step < 50; ++step) {
    for (uint64_t row = 0; row < 2; ++row) {
      const auto* obs = copies.obs(row);
      const long symbol = std::find(obs, obs + 3, 1.0F) - obs;
      BOOST_REQUIRE_EQUAL(std::count(obs, obs + 3, 0.0F), 2);
      symbols.insert(symbol);
      copies.discrete(row) = row == 0 ? symbol : (symbol + 1) % 3;
    }
    copies.step();
    BOOST_REQUIRE_EQUAL(copies.reward(0), 1);
    BOOST_REQUIRE_EQUAL(copies.reward(1), 0);
    BOOST_REQUIRE_EQUAL(copies.terminated(0), 0);
  }
  BOOST_TEST((symbols == std::set<long>{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(continuous_identity_pays_1_minus_the_mean_error) {
  EnvironmentCopies copies(probe_environment("identity_continuous"), 2, {{"n", 2}});
  BOOST_TEST(copies.world().time_limit == 100U);
  BOOST_REQUIRE_EQUAL(copies.obs_width(), 2U);
  copies.reset_all(4);
  float lowest = 1, highest = -1;
  for (int step = 0; step < 100; ++step) {
    for (int i = 0; i < 2; ++i) {
      const float shown = copies.obs(0)[i];
      lowest = std::min(lowest, shown), highest = std::max(highest, shown);
      copies.box(0)[i] = shown;
    }
    copies.box(1)[0] = copies.obs(1)[0] + 0.5F;
    copies.box(1)[1] = copies.obs(1)[1] - 0.25F;
    copies.step();
    BOOST_REQUIRE_EQUAL(copies.reward(0), 1);
    BOOST_REQUIRE(std::fabs(copies.reward(1) - 0.625F) < 1e-6F);
    BOOST_REQUIRE_EQUAL(copies.terminated(0), 0);
  }
  BOOST_TEST(lowest < -0.9F);
  BOOST_TEST(highest > 0.9F);
  BOOST_TEST(lowest >= -1);
  BOOST_TEST(highest <= 1);
}

BOOST_AUTO_TEST_CASE(two_agents_are_paid_for_the_same_choice) {
  EnvironmentCopies copies(probe_environment("coordination"), 9, {{"n", 3}});
  BOOST_REQUIRE_EQUAL(copies.world().n_agents, 2U);
  BOOST_TEST(std::string(copies.agent(0).id) == "agent_0");
  BOOST_TEST(std::string(copies.agent(1).id) == "agent_1");
  copies.reset_all(0);
  for (uint64_t row = 0; row < 9; ++row) {
    copies.discrete(row, 0) = static_cast<int64_t>(row / 3);
    copies.discrete(row, 1) = static_cast<int64_t>(row % 3);
  }
  copies.step();
  for (uint64_t row = 0; row < 9; ++row) {
    for (size_t agent = 0; agent < 2; ++agent) {
      BOOST_TEST(copies.reward(row, agent) == (row / 3 == row % 3 ? 1.0F : 0.0F));
      BOOST_TEST(copies.terminated(row, agent) == 1);
      BOOST_TEST(copies.obs(row, agent)[0] == 0);
    }
  }
  copies.discrete(5, 1) = 3;
  BOOST_TEST(copies.try_step() == SPAR_E_INVALID);
  BOOST_TEST(copies.message() == "column `action` of agent `agent_1`, copy 5: expected 0 .. 2, found 3");
}

BOOST_AUTO_TEST_CASE(every_probe_saves_and_continues_exactly) {
  for (const char* id : {"one_step_reward", "obs_value", "two_step", "two_actions", "match_obs", "truncated_forever",
                         "corridor", "identity", "masked", "coordination"}) {
    EnvironmentCopies copies(probe_environment(id), 3);
    const uint64_t seeds[3] = {1, 2, 3};
    copies.reset(nullptr, seeds);
    BOOST_REQUIRE_EQUAL(copies.try_load(1, copies.save(0)), SPAR_OK);
    copies.copy(2, 0);
    for (int i = 0; i < 10; ++i) {
      copies.step();
      copies.reset();
      for (const uint64_t row : {1, 2}) {
        BOOST_TEST(copies.save(row) == copies.save(0), id);
        BOOST_TEST(std::equal(copies.obs(row), copies.obs(row) + copies.obs_width(), copies.obs(0)));
        BOOST_TEST(copies.reward(row) == copies.reward(0));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
