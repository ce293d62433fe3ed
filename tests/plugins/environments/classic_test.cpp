#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "plugins/environments/classic/cart_pole.hpp"
#include "plugins/environments/environment_copies.hpp"

using namespace spar::test;
namespace data = boost::unit_test::data;

namespace {

const std::vector<const char*> kIds = {"CartPole-v0", "CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0",
                                       "Acrobot-v1",  "Pendulum-v1"};

const spar_component& classic_environment(const std::string& id) {
  return environment_component("classic", "org.spar.classic/" + id);
}

/// Some action that depends on the row.
void act(EnvironmentCopies& copies, uint64_t rows, uint64_t turn) {
  for (uint64_t row = 0; row < rows; ++row) {
    if (copies.agent().act->kind == SPAR_SPACE_DISCRETE)
      copies.discrete(row) = static_cast<int64_t>(row + turn) % copies.agent().act->n;
    else
      copies.box(row)[0] = static_cast<float>(std::sin(static_cast<double>(3 * row + turn)));
  }
}

/// Everything that the plugin wrote, row by row.
Bytes output(EnvironmentCopies& copies, uint64_t row) {
  Bytes all;
  for (const Column& c : copies.columns(0).out) {
    const size_t size = c.bytes.size() / static_cast<size_t>(c.shape[0]);
    all.insert(all.end(), c.bytes.begin() + static_cast<long>(row * size),
               c.bytes.begin() + static_cast<long>((row + 1) * size));
  }
  return all;
}

void fill(EnvironmentCopies& copies, char byte) {
  for (Column& c : copies.columns(0).out) std::fill(c.bytes.begin(), c.bytes.end(), byte);
}

struct Limits {
  const char* id;
  uint64_t time_limit;
  int64_t actions;  ///< 0: a box
  std::vector<double> obs_high, act_high;
};
std::ostream& operator<<(std::ostream& out, const Limits& limits) { return out << limits.id; }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<Limits> kLimits = {
    {"CartPole-v0", 200, 2, {4.8, kInfinity, 0.41887903, kInfinity}, {}},
    {"CartPole-v1", 500, 2, {4.8, kInfinity, 0.41887903, kInfinity}, {}},
    {"MountainCar-v0", 200, 3, {0.6, 0.07}, {}},
    {"MountainCarContinuous-v0", 999, 0, {0.6, 0.07}, {1}},
    {"Acrobot-v1", 500, 3, {1, 1, 1, 1, 4 * M_PI, 9 * M_PI}, {}},
    {"Pendulum-v1", 200, 0, {1, 1, 8}, {2}},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(classic)

BOOST_DATA_TEST_CASE(the_world_has_the_spaces_and_the_limit_of_the_reference, data::make(kLimits), limits) {
  EnvironmentCopies copies(classic_environment(limits.id), 3);
  BOOST_TEST(copies.world().n_agents == 1U);
  BOOST_TEST(copies.world().n_envs == 3U);
  BOOST_TEST(copies.world().time_limit == limits.time_limit);
  BOOST_TEST(std::string(copies.agent().id) == "agent_0");
  const spar_space &obs = *copies.agent().obs, &action = *copies.agent().act;
  BOOST_REQUIRE_EQUAL(copies.obs_width(), limits.obs_high.size());
  for (size_t i = 0; i < limits.obs_high.size(); ++i) {
    BOOST_TEST(static_cast<float>(obs.high[i]) == static_cast<float>(limits.obs_high[i]));
    if (!(i == 0 && limits.obs_high[0] == 0.6)) BOOST_TEST(obs.low[i] == -obs.high[i]);
  }
  if (limits.obs_high[0] == 0.6) BOOST_TEST(static_cast<float>(obs.low[0]) == -1.2F);
  if (limits.actions > 0) {
    BOOST_TEST(action.kind == static_cast<uint32_t>(SPAR_SPACE_DISCRETE));
    BOOST_TEST(action.n == limits.actions);
  } else {
    BOOST_TEST(action.kind == static_cast<uint32_t>(SPAR_SPACE_BOX));
    BOOST_TEST(action.high[0] == limits.act_high[0]);
    BOOST_TEST(action.low[0] == -limits.act_high[0]);
  }
}

BOOST_DATA_TEST_CASE(reset_writes_only_the_rows_of_the_mask, data::make(kIds), id) {
  EnvironmentCopies copies(classic_environment(id), 4);
  copies.reset_all(7);
  act(copies, 4, 0);
  copies.step();
  fill(copies, 0x55);
  const Bytes untouched = output(copies, 0);
  const Bytes states[2] = {copies.save(0), copies.save(2)};
  const uint8_t mask[4] = {0, 1, 0, 1};
  const uint64_t seeds[4] = {1, 2, 3, 4};
  copies.reset(mask, seeds);
  BOOST_TEST(output(copies, 0) == untouched);
  BOOST_TEST(output(copies, 2) == untouched);
  BOOST_TEST(copies.save(0) == states[0]);
  BOOST_TEST(copies.save(2) == states[1]);

  EnvironmentCopies fresh(classic_environment(id), 4);
  fresh.reset(nullptr, seeds);
  for (const uint64_t row : {1, 3}) {
    BOOST_TEST(copies.save(row) == fresh.save(row));
    BOOST_TEST(std::memcmp(copies.obs(row), fresh.obs(row), copies.obs_width() * sizeof(float)) == 0);
  }
}

BOOST_DATA_TEST_CASE(reset_leaves_the_reward_and_the_flag_of_the_step_before, data::make(kIds), id) {
  EnvironmentCopies copies(classic_environment(id), 2);
  fill(copies, 0x55);
  const float reward = copies.reward(1);
  copies.reset_all(1);
  BOOST_TEST(copies.reward(1) == reward);
  BOOST_TEST(copies.terminated(1) == 0x55);
}

BOOST_DATA_TEST_CASE(copies_do_not_depend_on_how_many_there_are, data::make(kIds), id) {
  EnvironmentCopies many(classic_environment(id), 5), one(classic_environment(id), 1);
  const uint64_t seeds[5] = {10, 11, 12, 13, 14};
  many.reset(nullptr, seeds);
  one.reset(nullptr, seeds + 3);
  for (uint64_t turn = 0; turn < 50; ++turn) {
    act(many, 5, turn);
    if (one.agent().act->kind == SPAR_SPACE_DISCRETE)
      one.discrete() = many.discrete(3);
    else
      one.box()[0] = many.box(3)[0];
    many.step();
    one.step();
    BOOST_REQUIRE(output(many, 3) == output(one, 0));
  }
}

BOOST_DATA_TEST_CASE(a_saved_copy_goes_on_exactly_generator_included, data::make(kIds), id) {
  EnvironmentCopies original(classic_environment(id), 3), other(classic_environment(id), 2);
  original.reset_all(5);
  for (uint64_t turn = 0; turn < 5; ++turn) {
    act(original, 3, turn);
    original.step();
  }
  const Bytes saved = original.save(1);
  BOOST_TEST(original.save(1, 1) == saved);
  BOOST_TEST(original.save(1, 17) == saved);
  for (const size_t piece : {SIZE_MAX, size_t{1}, size_t{17}}) {
    BOOST_REQUIRE_EQUAL(other.try_load(0, saved, piece), SPAR_OK);
    BOOST_TEST(other.save(0) == saved);
  }
  BOOST_REQUIRE_EQUAL(other.try_load(1, original.save(2)), SPAR_OK);
  original.copy(0, 1);
  BOOST_TEST(original.save(0) == saved);

  for (uint64_t turn = 0; turn < 20; ++turn) {
    act(original, 3, turn);
    if (original.agent().act->kind == SPAR_SPACE_DISCRETE)
      original.discrete(0) = other.discrete(0) = original.discrete(1);
    else
      original.box(0)[0] = other.box(0)[0] = original.box(1)[0];
    original.step();
    other.step();
    BOOST_REQUIRE(output(original, 0) == output(original, 1));
    BOOST_REQUIRE(output(original, 1) == output(other, 0));
  }
  original.reset();
  other.reset();
  BOOST_TEST(output(original, 0) == output(original, 1));
  BOOST_TEST(output(original, 1) == output(other, 0));
}

BOOST_DATA_TEST_CASE(damaged_states_are_refused_and_change_nothing, data::make(kIds), id) {
  EnvironmentCopies copies(classic_environment(id), 1);
  copies.reset_all(3);
  const Bytes saved = copies.save(0);
  for (size_t size = 0; size < saved.size(); ++size) {
    BOOST_REQUIRE_EQUAL(copies.try_load(0, Bytes(saved.begin(), saved.begin() + static_cast<long>(size))), SPAR_E_IO);
    BOOST_TEST(copies.message().find("bytes too early") != std::string::npos);
  }
  Bytes other = saved;
  other[0] ^= 1;
  BOOST_TEST(copies.try_load(0, other) == SPAR_E_INVALID);
  BOOST_TEST(copies.message().find(std::string("`org.spar.classic/") + id + "`") != std::string::npos);
  BOOST_TEST(copies.try_load(1, saved) == SPAR_E_INVALID);
  BOOST_TEST(copies.message() == "there is no copy 1: the last one is 0");
  BOOST_TEST(copies.save(0) == saved);
}

BOOST_AUTO_TEST_CASE(an_acrobot_wound_up_beyond_its_circle_is_refused) {
  EnvironmentCopies copies(classic_environment("Acrobot-v1"), 1);
  copies.reset_all(3);
  for (const double angle : {1e300, std::numeric_limits<double>::quiet_NaN()}) {
    Bytes saved = copies.save(0);
    std::memcpy(saved.data() + 8, &angle, sizeof angle);
    BOOST_TEST(copies.try_load(0, saved) == SPAR_E_INVALID);
    BOOST_TEST(copies.message().find("is impossible under this configuration") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(an_action_outside_its_space_is_refused_before_any_copy_moves) {
  for (const char* id : {"CartPole-v1", "MountainCar-v0", "Acrobot-v1"}) {
    EnvironmentCopies copies(classic_environment(id), 3);
    copies.reset_all(1);
    const Bytes before = copies.save(0);
    const std::string last = std::to_string(copies.agent().act->n - 1);
    for (const int64_t wrong : {int64_t{-1}, copies.agent().act->n, INT64_MAX, INT64_MIN}) {
      act(copies, 3, 0);
      copies.discrete(2) = wrong;
      BOOST_TEST(copies.try_step() == SPAR_E_INVALID);
      BOOST_TEST(copies.message() == "column `action` of agent `agent_0`, copy 2: expected 0 .. " + last + ", found " +
                                         std::to_string(wrong));
      BOOST_TEST(copies.save(0) == before);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_action_that_is_no_number_is_refused_before_any_copy_moves) {
  for (const char* id : {"MountainCarContinuous-v0", "Pendulum-v1"}) {
    EnvironmentCopies copies(classic_environment(id), 3);
    copies.reset_all(1);
    const Bytes before = copies.save(0);
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity}) {
      act(copies, 3, 0);
      copies.box(1)[0] = static_cast<float>(wrong);
      BOOST_TEST(copies.try_step() == SPAR_E_INVALID);
      BOOST_TEST(
          copies.message().find("column `action` of agent `agent_0`, copy 1: expected a finite number, found ") == 0U);
      BOOST_TEST(copies.save(0) == before);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_pole_that_fell_pays_once) {
  EnvironmentCopies copies(classic_environment("CartPole-v1"), 1);
  copies.reset_all(0);
  double total = 0;
  int steps = 0;
  do {
    copies.discrete() = 1;
    copies.step();
    total += copies.reward();
    ++steps;
  } while (!copies.terminated());
  BOOST_TEST(total == steps);
  copies.step();
  BOOST_TEST(copies.reward() == 0);
  BOOST_TEST(copies.terminated() == 1);
  copies.reset();
  copies.step();
  BOOST_TEST(copies.reward() == 1);
}

BOOST_AUTO_TEST_CASE(a_continuous_action_beyond_its_bounds_pushes_no_harder_but_costs_more) {
  EnvironmentCopies copies(classic_environment("MountainCarContinuous-v0"), 2);
  copies.reset_all(0);
  copies.box(0)[0] = 1;
  copies.box(1)[0] = 3;
  copies.step();
  BOOST_TEST(copies.obs(0)[1] == copies.obs(1)[1]);
  BOOST_TEST(copies.reward(0) == -0.1F);
  BOOST_TEST(copies.reward(1) == -0.9F);
}

BOOST_DATA_TEST_CASE(copies_that_step_together_take_the_steps_of_each_alone, data::make(kIds), id) {
  constexpr uint64_t kRows = 13;  // no multiple of what any vector holds
  EnvironmentCopies together(classic_environment(id), kRows);
  std::vector<uint64_t> seeds(kRows);
  for (uint64_t row = 0; row < kRows; ++row) seeds[row] = row;
  together.reset(nullptr, seeds.data());
  std::vector<std::unique_ptr<EnvironmentCopies>> alone;
  for (uint64_t row = 0; row < kRows; ++row) {
    alone.push_back(std::make_unique<EnvironmentCopies>(classic_environment(id), 1));
    alone.back()->reset(nullptr, &seeds[row]);
  }
  for (uint64_t turn = 0; turn < 300; ++turn) {
    act(together, kRows, turn);
    together.step();
    for (uint64_t row = 0; row < kRows; ++row) {
      if (together.agent().act->kind == SPAR_SPACE_DISCRETE)
        alone[row]->discrete() = together.discrete(row);
      else
        alone[row]->box()[0] = together.box(row)[0];
      alone[row]->step();
      BOOST_REQUIRE(output(together, row) == output(*alone[row], 0));
      BOOST_REQUIRE(together.save(row) == alone[row]->save(0));
    }
  }
}

#if SPAR_RL_VECTORS
namespace {

using CartPoles = void (*)(spar::classic::CartPoleState*, const int64_t*, spar::Outcome*, size_t);

void expect_the_steps_of_one(CartPoles step) {
  using namespace spar::classic;
  constexpr size_t kCopies = 29;
  std::vector<CartPoleState> all(kCopies);
  std::vector<int64_t> actions(kCopies);
  std::vector<spar::Outcome> outcomes(kCopies);
  spar::NumpyRandom random(5);
  for (CartPoleState& s : all) CartPoleV1().reset(s, random);
  all[3].angle = 7.5;
  all[8].angle = 5000;
  std::vector<CartPoleState> each = all;
  for (int turn = 0; turn < 200; ++turn) {
    for (size_t i = 0; i < kCopies; ++i)
      actions[i] = static_cast<int64_t>((i * 7 + static_cast<size_t>(turn)) % 3 == 0);
    step(all.data(), actions.data(), outcomes.data(), kCopies);
    for (size_t i = 0; i < kCopies; ++i) {
      const spar::Outcome one = cart_pole::step_one(each[i], actions[i]);
      BOOST_REQUIRE_EQUAL(one.reward, outcomes[i].reward);
      BOOST_REQUIRE_EQUAL(one.terminated, outcomes[i].terminated);
      BOOST_REQUIRE(std::memcmp(&each[i], &all[i], sizeof all[i]) == 0);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_width_of_vectors_gives_cart_poles_the_same_bits) {
  expect_the_steps_of_one(spar::classic::cart_pole::step_in<4>);
#if defined(__x86_64__)
  const size_t width = spar::rl::detail::vector_width();
  if (width >= 8) expect_the_steps_of_one(spar::classic::cart_pole::step_256);
  if (width >= 16) expect_the_steps_of_one(spar::classic::cart_pole::step_512);
#endif
}
#endif

BOOST_AUTO_TEST_SUITE_END()
