// Every recorded transition of the reference, one step at a time: the recorded state before it is loaded, the action
// applied, and everything that comes out compared. (Whole trajectories cannot be compared: three of the systems are
// chaotic, and the reference's sine differs in the last bit.)
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "plugins/environments/environment_copies.hpp"
#include "spar/numpy_random.hpp"
#include "support/json_file.hpp"

using namespace spar::test;
namespace data = boost::unit_test::data;
namespace json = boost::json;

namespace {

std::vector<double> reals(const json::value& v) {
  std::vector<double> out;
  for (const json::value& x : v.as_array()) out.push_back(real(x));
  return out;
}

/// Layout of a saved copy: u64 size of the state, the state (doubles; CartPole also has u64 "ended"), the generator.
Bytes saved_state(const std::vector<double>& numbers, bool has_ended, uint64_t ended) {
  const uint64_t size = 8 * numbers.size() + (has_ended ? 8 : 0);
  const spar::NumpyRandom random(0);
  Bytes bytes(8 + size + sizeof random);
  std::memcpy(bytes.data(), &size, 8);
  std::memcpy(bytes.data() + 8, numbers.data(), 8 * numbers.size());
  if (has_ended) std::memcpy(bytes.data() + 8 * numbers.size() + 8, &ended, 8);
  std::memcpy(bytes.data() + 8 + size, &random, sizeof random);
  return bytes;
}
std::vector<double> state_numbers(const Bytes& bytes, size_t n) {
  std::vector<double> numbers(n);
  std::memcpy(numbers.data(), bytes.data() + 8, 8 * n);
  return numbers;
}

struct File {
  const char *name, *id;
  size_t transitions;
  double tolerance;  ///< of observations and rewards, 0 = exact; states have 1e-14 or this
};
std::ostream& operator<<(std::ostream& out, const File& file) { return out << file.name; }

const std::vector<File> kFiles = {
    {"CartPole-v0", "CartPole-v0", 205, 0},
    {"CartPole-v1", "CartPole-v1", 1510, 0},
    {"MountainCar-v0", "MountainCar-v0", 1000, 0},
    {"MountainCarContinuous-v0", "MountainCarContinuous-v0", 2000, 0},
    {"MountainCarContinuous-v0.numpy2", "MountainCarContinuous-v0", 2000, 1e-6},
    {"Acrobot-v1", "Acrobot-v1", 1505, 0},
    {"Pendulum-v1", "Pendulum-v1", 1000, 0},
    {"Pendulum-v1.numpy2", "Pendulum-v1", 1000, 1e-6},
};

bool near(double found, double expected, double tolerance) {
  return std::fabs(found - expected) <= tolerance * std::max(1.0, std::fabs(expected));
}

/// What disagrees in one file, by kind of number.
struct Misses {
  size_t transitions = 0, observations = 0, rewards = 0, flags = 0, states = 0;
  double worst_state = 0;
};

void compare(const File& file, const json::value& trajectory, Misses& misses) {
  const json::array& states = trajectory.at("states").as_array();
  const json::array& actions = trajectory.at("actions").as_array();
  const size_t n = actions.size();
  EnvironmentCopies copies(environment_component("classic", std::string("org.spar.classic/") + file.id), n);
  const bool is_cart_pole = std::strncmp(file.id, "CartPole", 8) == 0;

  std::vector<double> before = reals(trajectory.at("start_state"));
  const size_t size = before.size();
  bool ended = false;
  for (size_t i = 0; i < n; ++i) {
    BOOST_REQUIRE_EQUAL(copies.try_load(i, saved_state(before, is_cart_pole, ended)), SPAR_OK);
    before = reals(states[i]);
    ended = ended || trajectory.at("terminated").at(i).as_bool();
    if (actions[i].is_array())
      copies.box(i)[0] = static_cast<float>(real(actions[i].at(0)));
    else
      copies.discrete(i) = actions[i].as_int64();
  }
  copies.step();

  for (size_t i = 0; i < n; ++i) {
    ++misses.transitions;
    const std::vector<double> observation = reals(trajectory.at("observations").at(i));
    BOOST_REQUIRE_EQUAL(observation.size(), copies.obs_width());
    for (size_t j = 0; j < observation.size(); ++j) {
      const auto expected = static_cast<float>(observation[j]);
      misses.observations += !near(copies.obs(i)[j], expected, file.tolerance);
    }
    misses.rewards += !near(copies.reward(i), static_cast<float>(real(trajectory.at("rewards").at(i))), file.tolerance);
    const bool cut = i + 1 >= copies.world().time_limit;
    misses.flags += copies.terminated(i) != trajectory.at("terminated").at(i).as_bool();
    misses.flags += cut != trajectory.at("truncated").at(i).as_bool();
    const std::vector<double> found = state_numbers(copies.save(i), size), expected = reals(states[i]);
    for (size_t j = 0; j < size; ++j) {
      misses.worst_state = std::max(misses.worst_state, std::fabs(found[j] - expected[j]));
      misses.states += std::fabs(found[j] - expected[j]) > std::max(1e-14, file.tolerance);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parity)

BOOST_DATA_TEST_CASE(every_recorded_transition_is_reproduced, data::make(kFiles), file) {
  Misses misses;
  const json::value recorded = json_file("parity/" + std::string(file.name) + ".json");
  for (const json::value& trajectory : recorded.at("trajectories").as_array()) compare(file, trajectory, misses);
  BOOST_TEST(misses.transitions == file.transitions);
  BOOST_TEST(misses.observations == 0U);
  BOOST_TEST(misses.rewards == 0U);
  BOOST_TEST(misses.flags == 0U);
  BOOST_TEST(misses.states == 0U);
  BOOST_TEST_MESSAGE(file.name << ": " << misses.transitions << " transitions, worst state error "
                               << misses.worst_state);
}

BOOST_DATA_TEST_CASE(a_seed_gives_the_start_of_the_reference_and_the_next_reset_goes_on,
                     data::make({"CartPole-v0", "CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0",
                                 "Acrobot-v1", "Pendulum-v1"}),
                     id) {
  const json::value recorded = json_file("parity/reset_seeds.json");
  const json::array& seeds = recorded.at("envs").at(id).as_array();
  BOOST_TEST(seeds.size() == 8U);
  EnvironmentCopies copies(environment_component("classic", std::string("org.spar.classic/") + id), seeds.size());
  std::vector<uint64_t> numbers;
  for (const json::value& seed : seeds) numbers.push_back(seed.at("seed").to_number<uint64_t>());

  const auto compare_observations = [&](const char* key) {
    for (size_t i = 0; i < seeds.size(); ++i) {
      const std::vector<double> expected = reals(seeds[i].at(key));
      BOOST_REQUIRE_EQUAL(expected.size(), copies.obs_width());
      for (size_t j = 0; j < expected.size(); ++j)
        BOOST_TEST(copies.obs(i)[j] == static_cast<float>(expected[j]),
                   key << ", seed " << numbers[i] << ", number " << j);
    }
  };
  copies.reset(nullptr, numbers.data());
  compare_observations("first_obs");
  for (size_t i = 0; i < seeds.size(); ++i) {
    const std::vector<double> expected = reals(seeds[i].at("first_state"));
    BOOST_TEST(state_numbers(copies.save(i), expected.size()) == expected, boost::test_tools::per_element());
  }
  copies.reset();
  compare_observations("second_reset_obs");
}

BOOST_AUTO_TEST_CASE(one_step_gives_the_golden_numbers) {
  const json::value golden = json_file("golden_environments.json");
  const auto expect = [&](const char* name, const char* id, const std::vector<double>& state, double action,
                          const std::vector<double>& next) {
    const json::value& expected = golden.at(name).at("expected");
    EnvironmentCopies copies(environment_component("classic", std::string("org.spar.classic/") + id), 1);
    BOOST_REQUIRE_EQUAL(copies.try_load(0, saved_state(state, state.size() == 4, 0)), SPAR_OK);
    if (copies.agent().act->kind == SPAR_SPACE_BOX)
      copies.box()[0] = static_cast<float>(action);
    else
      copies.discrete() = static_cast<int64_t>(action);
    copies.step();
    const std::vector<double> found = state_numbers(copies.save(0), next.size());
    // The golden states are written with ten digits; a continuous action passes through float32.
    for (size_t i = 0; i < next.size(); ++i) BOOST_TEST(std::fabs(found[i] - next[i]) <= 1e-9, name);
    BOOST_TEST(std::fabs(copies.reward() - real(expected.at("reward"))) <= 1e-6);
  };
  const auto inputs = [&](const char* name) { return golden.at(name).at("inputs"); };
  const auto outputs = [&](const char* name) { return golden.at(name).at("expected"); };

  for (const auto& [name, action] : {std::pair("env.cartpole_left", 0.0), std::pair("env.cartpole_right", 1.0)})
    expect(name, "CartPole-v1", reals(inputs(name).at("state")), action, reals(outputs(name).at("state")));
  const json::value pendulum = inputs("env.pendulum"), swung = outputs("env.pendulum");
  expect("env.pendulum", "Pendulum-v1", {real(pendulum.at("theta")), real(pendulum.at("thetadot"))},
         real(pendulum.at("u")), {real(swung.at("theta")), real(swung.at("thetadot"))});
  expect("env.mountaincar", "MountainCar-v0", reals(inputs("env.mountaincar").at("state")),
         real(inputs("env.mountaincar").at("action")), reals(outputs("env.mountaincar").at("state")));
}

BOOST_AUTO_TEST_CASE(continuous_mountain_car_gives_the_golden_numbers_rounded_to_float32) {
  const json::value golden = json_file("golden_environments.json").at("env.mountaincar_continuous");
  EnvironmentCopies copies(environment_component("classic", "org.spar.classic/MountainCarContinuous-v0"), 1);
  BOOST_REQUIRE_EQUAL(copies.try_load(0, saved_state(reals(golden.at("inputs").at("state")), false, 0)), SPAR_OK);
  copies.box()[0] = static_cast<float>(real(golden.at("inputs").at("action")));
  copies.step();
  const std::vector<double> found = state_numbers(copies.save(0), 2),
                            expected = reals(golden.at("expected").at("state"));
  BOOST_TEST(found[0] == static_cast<float>(expected[0]));
  BOOST_TEST(std::fabs(found[1] - expected[1]) <= 1e-9);
  BOOST_TEST(copies.reward() == static_cast<float>(real(golden.at("expected").at("reward"))));
}

BOOST_AUTO_TEST_CASE(hanging_at_full_speed_and_torque_costs_the_golden_worst_reward) {
  const json::value golden = json_file("golden_environments.json").at("env.pendulum");
  EnvironmentCopies copies(environment_component("classic", "org.spar.classic/Pendulum-v1"), 1);
  BOOST_REQUIRE_EQUAL(copies.try_load(0, saved_state({M_PI, 8}, false, 0)), SPAR_OK);
  copies.box()[0] = 2;
  copies.step();
  BOOST_TEST(copies.reward() == static_cast<float>(real(golden.at("expected").at("worst_reward"))));
}

BOOST_AUTO_TEST_SUITE_END()
