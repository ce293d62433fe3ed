// The particle environments against recorded runs of MPE2, every bit of observations and rewards; states to 1e-14.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

#include "plugins/environments/environment_copies.hpp"
#include "support/json_file.hpp"

using namespace spar::test;
namespace data = boost::unit_test::data;
namespace json = boost::json;

namespace {

/// The State of the plugin, as spar.env.state/1 writes it.
struct Particles {
  double position[4][2], velocity[4][2], said[4][3], landmark[3][2];
  int64_t goal;
};

const std::vector<const char*> kScenarios = {"simple_spread_v3", "simple_tag_v3", "simple_adversary_v3",
                                             "simple_speaker_listener_v4"};

const spar_component& mpe_environment(const std::string& id) {
  return environment_component("mpe", "org.spar.mpe/" + id);
}

void put(EnvironmentCopies& copies, const Particles& state) {
  Bytes saved = copies.save(0);
  BOOST_REQUIRE_EQUAL(saved.size(), 8 + sizeof state + 48);
  std::memcpy(saved.data() + 8, &state, sizeof state);
  BOOST_REQUIRE_EQUAL(copies.try_load(0, saved), SPAR_OK);
}
Particles state_of(EnvironmentCopies& copies) {
  Particles out;
  std::memcpy(&out, copies.save(0).data() + 8, sizeof out);
  return out;
}

bool same(const float* found, const json::array& expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (found[i] != expected[i].to_number<float>()) return false;
  return true;
}

/// Names of the agents in the order of the file, which is ours.
std::vector<std::string> names_of(const json::value& file) {
  std::vector<std::string> out;
  for (const auto& name : file.at("agents").as_array()) out.emplace_back(name.as_string());
  return out;
}

Particles start_of(const json::value& start, const std::vector<std::string>& agents) {
  Particles out{};
  for (size_t a = 0; a < agents.size(); ++a) {
    const auto& agent = start.at("agents").at(agents[a]);
    for (size_t i = 0; i < 2; ++i) {
      out.position[a][i] = agent.at("pos").as_array()[i].to_number<double>();
      out.velocity[a][i] = agent.at("vel").as_array()[i].to_number<double>();
    }
  }
  size_t l = 0;
  for (const auto& landmark : start.at("landmarks").as_array()) {
    for (size_t i = 0; i < 2; ++i) out.landmark[l][i] = landmark.as_array()[i].to_number<double>();
    ++l;
  }
  if (!start.at("goal_landmark").is_null()) out.goal = start.at("goal_landmark").as_int64();
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mpe)

BOOST_DATA_TEST_CASE(the_same_seed_starts_in_the_same_place, data::make(kScenarios), name) {
  const json::value file = json_file("parity/mpe_" + std::string(name) + ".json");
  const auto agents = names_of(file);
  EnvironmentCopies copies(mpe_environment(name), 1);
  BOOST_REQUIRE_EQUAL(copies.world().n_agents, agents.size());
  BOOST_TEST(copies.world().time_limit == 25u);
  for (const auto& reset : file.at("resets").as_array()) {
    copies.reset_all(reset.at("seed").to_number<uint64_t>());
    for (size_t a = 0; a < agents.size(); ++a) {
      const auto& expected = reset.at("observations").at(agents[a]).as_array();
      BOOST_TEST(copies.agent(a).id == agents[a]);
      BOOST_REQUIRE_EQUAL(copies.obs_width(a), expected.size());
      BOOST_TEST(same(copies.obs(0, a), expected), "seed " << reset.at("seed") << ", " << agents[a]);
    }
  }
}

BOOST_DATA_TEST_CASE(recorded_runs_are_followed_from_start_to_end, data::make(kScenarios), name) {
  const json::value file = json_file("parity/mpe_" + std::string(name) + ".json");
  const auto agents = names_of(file);
  size_t steps = 0;
  for (const auto& run : file.at("trajectories").as_array()) {
    const bool continuous = run.at("continuous_actions").as_bool();
    EnvironmentCopies copies(mpe_environment(name + std::string(continuous ? "_continuous" : "")), 1);
    copies.reset_all(0);
    put(copies, start_of(run.at("start_state"), agents));
    for (size_t t = 0; t < run.at("actions").as_array().size(); ++t, ++steps) {
      for (size_t a = 0; a < agents.size(); ++a) {
        const auto& action = run.at("actions").as_array()[t].at(agents[a]);
        if (!continuous) copies.discrete(0, a) = action.as_int64();
        for (size_t i = 0; continuous && i < action.as_array().size(); ++i)
          copies.box(0, a)[i] = action.as_array()[i].to_number<float>();
      }
      copies.step();
      const Particles now = state_of(copies);
      for (size_t a = 0; a < agents.size(); ++a) {
        const auto& expected = run.at("states").as_array()[t].at(agents[a]).as_array();
        for (size_t i = 0; i < 2; ++i) {
          // Boost.JSON reads the last bit of a double as it likes.
          BOOST_REQUIRE_SMALL(now.position[a][i] - expected[i].to_number<double>(), 1e-14);
          BOOST_REQUIRE_SMALL(now.velocity[a][i] - expected[2 + i].to_number<double>(), 1e-14);
        }
        BOOST_REQUIRE(same(copies.obs(0, a), run.at("observations").as_array()[t].at(agents[a]).as_array()));
        BOOST_REQUIRE_EQUAL(copies.reward(0, a), run.at("rewards").as_array()[t].at(agents[a]).to_number<float>());
        BOOST_REQUIRE_EQUAL(copies.terminated(0, a), 0);
      }
    }
  }
  BOOST_TEST(steps >= 290u);
}

BOOST_AUTO_TEST_CASE(one_step_of_spread_is_the_golden_one) {
  const json::value golden = json_file("golden_mpe.json").at("mpe.spread_step");
  const auto& inputs = golden.at("inputs");
  EnvironmentCopies copies(mpe_environment("simple_spread_v3"), 1);
  copies.reset_all(0);
  Particles start{};
  for (size_t a = 0; a < 3; ++a) {
    for (size_t i = 0; i < 2; ++i) {
      start.position[a][i] = inputs.at("pos").as_array()[a].as_array()[i].to_number<double>();
      start.velocity[a][i] = inputs.at("vel").as_array()[a].as_array()[i].to_number<double>();
      start.landmark[a][i] = inputs.at("landmarks").as_array()[a].as_array()[i].to_number<double>();
    }
  }
  put(copies, start);
  for (size_t a = 0; a < 3; ++a) copies.discrete(0, a) = a == 0 ? 2 : a == 1 ? 4 : 0;  // right, up, nothing
  copies.step();
  const auto& expected = golden.at("expected").at("mpe2");
  const Particles now = state_of(copies);
  for (size_t a = 0; a < 3; ++a) {
    for (size_t i = 0; i < 2; ++i) {
      BOOST_TEST(std::abs(now.position[a][i] - expected.at("pos").as_array()[a].as_array()[i].to_number<double>()) <
                 1e-9);
      BOOST_TEST(std::abs(now.velocity[a][i] - expected.at("vel").as_array()[a].as_array()[i].to_number<double>()) <
                 1e-9);
    }
    const double reward = expected.at("reward_v3_local_ratio_0p5").as_array()[a].to_number<double>();
    BOOST_TEST(std::abs(static_cast<double>(copies.reward(0, a)) - reward) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(random_play_of_spread_has_the_golden_return) {
  const json::value expected = json_file("golden_mpe.json").at("mpe.spread_returns").at("expected");
  constexpr uint64_t kCopies = 4000;
  EnvironmentCopies copies(mpe_environment("simple_spread_v3"), kCopies);
  std::vector<uint64_t> seeds(kCopies);
  for (uint64_t i = 0; i < kCopies; ++i) seeds[i] = i;
  copies.reset(nullptr, seeds.data());
  std::mt19937 random(3);
  double sum = 0;
  for (int t = 0; t < 25; ++t) {
    for (uint64_t row = 0; row < kCopies; ++row)
      for (size_t a = 0; a < 3; ++a) copies.discrete(row, a) = random() % 5;
    copies.step();
    for (uint64_t row = 0; row < kCopies; ++row) sum += static_cast<double>(copies.reward(row, 0));
  }
  const double mean = sum / kCopies, error = 7.88 / std::sqrt(kCopies);
  BOOST_TEST(std::abs(mean - expected.at("random_mpe2").at("v3_per_agent").to_number<double>()) < 4 * error);
}

BOOST_AUTO_TEST_CASE(impossible_goals_and_actions_are_refused) {
  EnvironmentCopies copies(mpe_environment("simple_speaker_listener_v4"), 1);
  copies.reset_all(0);
  Bytes saved = copies.save(0);
  const int64_t goal = 3;
  std::memcpy(saved.data() + 8 + offsetof(Particles, goal), &goal, sizeof goal);
  BOOST_TEST(copies.try_load(0, saved) == SPAR_E_INVALID);
  copies.discrete(0, 0) = 3;
  BOOST_TEST(copies.try_step() == SPAR_E_INVALID);
  BOOST_TEST(copies.message() == "column `action` of agent `speaker_0`, copy 0: expected 0 .. 2, found 3");
}

BOOST_AUTO_TEST_SUITE_END()
