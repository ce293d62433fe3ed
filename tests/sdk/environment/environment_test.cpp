#include "spar/environment.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "plugins/environments/environment_copies.hpp"
#include "spar/plugin.hpp"
#include "walk.hpp"

using namespace spar::test;
using spar::Outcome;
using spar::Space;
using spar::World;

namespace {

/// Two players count down from a number in turn, by 1 or 2, never below 0; who reaches 0 wins and the game ends.
/// Player 1 may also be out of the game (`alone`).
struct Countdown : spar::Environment {
  static constexpr const char *id = "org.example.countdown", *version = "1.0.0", *title = "Countdown";
  struct Config {
    int64_t start = 3;
    bool alone = false;
  };
  static const spar::Schema<Config>& schema() {
    static const auto instance = spar::Schema<Config>()
                                     .integer("start", &Config::start, spar::at_least(1), "where to start")
                                     .boolean("alone", &Config::alone, "player 1 does not play");
    return instance;
  }
  struct State {
    int64_t left, player;
  };
  using Action = int64_t;
  static constexpr bool kTruncates = true;

  explicit Countdown(const Config& config) : config_(config) {}
  World world() const {
    const Space obs = Space::box({0}, {100}), act = Space::discrete(2);
    return World({{"first", obs, act}, {"second", obs, act}}, 50);
  }
  void reset(State& s, spar::NumpyRandom&) const { s = {config_.start, 0}; }
  void step(State& s, const Action* actions, Outcome* outcomes, spar::NumpyRandom&) const {
    s.left -= actions[s.player] + 1;
    const bool end = s.left <= 0;
    outcomes[s.player] = {end ? 1.0 : 0.0, end, s.left == 1};
    outcomes[1 - s.player] = {end ? -1.0 : 0.0, end, s.left == 1};
    if (!config_.alone) s.player = 1 - s.player;
  }
  void observe(const State& s, size_t agent, float* obs) const {
    obs[0] = static_cast<float>(s.left + (agent == 1 ? 50 : 0));
  }
  bool acting(const State& s, size_t agent) const { return static_cast<int64_t>(agent) == s.player; }
  bool alive(const State&, size_t agent) const { return agent == 0 || !config_.alone; }
  void action_mask(const State& s, size_t, uint8_t* mask) const {
    mask[0] = s.left >= 1;
    mask[1] = s.left >= 2;
  }

 private:
  Config config_;
};

/// A picture of one lit pixel; its State lives on the heap and cannot be copied.
struct Pixels : spar::Environment {
  static constexpr const char *id = "org.example.pixels", *version = "1.0.0", *title = "Pixels";
  using State = std::unique_ptr<int64_t>;
  using Action = const float*;
  using Observation = uint8_t;
  World world() const { return {Space::image(2, 2, 1), Space::box(2, -1, 1)}; }
  void reset(State& s, spar::NumpyRandom& random) const { s = std::make_unique<int64_t>(random.integers(4)); }
  Outcome step(State& s, Action a, spar::NumpyRandom&) const {
    *s = (*s + (a[0] > 0 ? 1 : 0) + (a[1] > 0 ? 2 : 0)) % 4;
    return {static_cast<double>(*s), false};
  }
  void observe(const State& s, uint8_t* obs) const {
    std::memset(obs, 0, 4);
    obs[*s] = 255;
  }
  void save(const State& s, spar::StreamWriter& out) const { out.put(*s); }
  void load(State& s, spar::StreamReader& in) const { s = std::make_unique<int64_t>(in.get<int64_t>()); }
};

/// Tells its cell, names nothing.
struct Told : Walk {
  std::string text(const State& s, size_t) const {
    if (s.cell == 7) throw spar::StatusError(SPAR_E_UNSUPPORTED, "cell 7 has no words");
    return "cell " + std::to_string(s.cell) + "\n";
  }
};
/// Names its actions as well.
struct Named : Told {
  std::string action_name(const State&, size_t, int64_t action) const { return action == 1 ? "right" : ""; }
};
/// A function of the same name that is for something else.
struct OtherText : Walk {
  int text(const State&, size_t) const { return 1; }
};

/// A State that cannot be saved.
struct Opaque : Walk {
  static constexpr const char* id = "org.example.opaque";
  struct State : Walk::State {
    std::vector<int> history;
  };
  void reset(State& s, spar::NumpyRandom& random) const { Walk::reset(s, random); }
  Outcome step(State& s, Action a, spar::NumpyRandom& random) const { return Walk::step(s, a, random); }
};

/// Wrong in one way each.
struct TwoWorlds : Walk {
  World world() const {
    const Space obs = Space::box({0}, {9}), act = Space::discrete(2);
    return World({{"a", obs, act}, {"b", obs, act}});
  }
};
struct NoAgent : Walk {
  World world() const { return World(std::vector<spar::AgentSpaces>{}); }
};
struct WrongAction : Walk {
  World world() const { return {Space::box({0}, {9}), Space::box(1, -1, 1)}; }
};
struct ImageAction : Pixels {
  World world() const { return {Space::image(2, 2, 1), Space::image(2, 1, 1)}; }
};
struct DiscreteObservation : Walk {
  World world() const { return {Space::discrete(9), Space::discrete(2)}; }
};
struct WrongObservation : Walk {
  World world() const { return {Space::image(2, 2, 1), Space::discrete(2)}; }
};
struct Throwing : Walk {
  Outcome step(State& s, Action a, spar::NumpyRandom& random) const {
    if (s.cell == 4) throw spar::StatusError(SPAR_E_CANCELLED, "cell 4 is on fire");
    if (s.cell == 5) throw std::runtime_error("cell 5 is closed");
    return Walk::step(s, a, random);
  }
};

template <class E>
const spar_component& component() {
  return *spar::detail::component<E>();
}

template <class E>
std::string creation_failure(uint64_t copies = 1) {
  try {
    EnvironmentCopies made(component<E>(), copies);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

void put_cell(EnvironmentCopies& copies, uint64_t row, int64_t cell) {
  Bytes saved = copies.save(row);
  std::memcpy(saved.data() + 8, &cell, sizeof cell);
  BOOST_REQUIRE_EQUAL(copies.try_load(row, saved), SPAR_OK);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(environment)

BOOST_AUTO_TEST_CASE(a_component_carries_identity_parameters_and_flags) {
  const spar_component& c = component<Countdown>();
  BOOST_TEST(c.kind == static_cast<uint32_t>(SPAR_KIND_ENV));
  BOOST_TEST(std::string(c.id) == "org.example.countdown");
  BOOST_TEST(c.n_params == 2U);
  BOOST_TEST(std::string(c.params[0]->name) == "start");
  BOOST_TEST(component<Walk>().n_params == 0U);
  const auto& table = *static_cast<const spar_env_vtbl*>(c.vtbl);
  BOOST_TEST(table.struct_size == sizeof(spar_env_vtbl));
  BOOST_TEST(table.flags == static_cast<uint32_t>(SPAR_ENV_DETERMINISTIC));
}

BOOST_AUTO_TEST_CASE(the_documented_example_walks) {
  EnvironmentCopies copies(component<Walk>(), 2);
  copies.reset_all(0);
  put_cell(copies, 0, 8);
  put_cell(copies, 1, 0);
  copies.discrete(0) = 1;
  copies.discrete(1) = 0;
  copies.step();
  BOOST_TEST(copies.reward(0) == 1);
  BOOST_TEST(copies.terminated(0) == 1);
  BOOST_TEST(copies.obs(0)[0] == 9);
  BOOST_TEST(copies.reward(1) == 0);
  BOOST_TEST(copies.terminated(1) == 1);
  BOOST_TEST(copies.obs(1)[0] == -1);
}

BOOST_AUTO_TEST_CASE(describe_writes_no_more_than_the_caller_has_room_for) {
  EnvironmentCopies copies(component<Walk>(), 3);
  struct {
    spar_world world;
    uint64_t guard;
  } box{{}, 0x5555555555555555};
  box.world.struct_size = offsetof(spar_world, time_limit);
  box.world.time_limit = 77;
  spar_error error{};
  error.struct_size = sizeof error;
  BOOST_TEST(copies.table().describe(copies.handle(), &box.world, &error) == SPAR_OK);
  BOOST_TEST(box.world.n_envs == 3U);
  BOOST_TEST(box.world.time_limit == 77U);
  BOOST_TEST(box.guard == 0x5555555555555555U);
}

BOOST_AUTO_TEST_CASE(turns_masks_and_cuts_reach_their_columns) {
  EnvironmentCopies copies(component<Countdown>(), 1);
  BOOST_REQUIRE_EQUAL(copies.agent(1).n_columns, 4U);
  copies.reset_all(0);
  const auto flag = [&copies](size_t agent, const char* name, int i = 0) {
    return static_cast<int>(copies.column(agent, name).as<uint8_t>()[i]);
  };
  BOOST_TEST(flag(0, "acting") == 1);
  BOOST_TEST(flag(1, "acting") == 0);
  BOOST_TEST(flag(1, "alive") == 1);
  BOOST_TEST(flag(0, "action_mask", 0) == 1);
  BOOST_TEST(flag(0, "action_mask", 1) == 1);
  BOOST_TEST(copies.obs(0, 1)[0] == 53);

  copies.discrete(0, 0) = 1;
  copies.discrete(0, 1) = -99;  // not to move: may carry anything
  copies.step();
  BOOST_TEST(copies.obs(0, 0)[0] == 1);
  BOOST_TEST(flag(0, "acting") == 0);
  BOOST_TEST(flag(1, "acting") == 1);
  BOOST_TEST(flag(0, "truncated") == 1);
  BOOST_TEST(flag(1, "action_mask", 0) == 1);
  BOOST_TEST(flag(1, "action_mask", 1) == 0);

  BOOST_TEST(copies.try_step() == SPAR_E_INVALID);
  BOOST_TEST(copies.message() == "column `action` of agent `second`, copy 0: expected 0 .. 1, found -99");
  copies.discrete(0, 1) = 0;
  copies.step();
  BOOST_TEST(copies.reward(0, 0) == -1);
  BOOST_TEST(copies.reward(0, 1) == 1);
  BOOST_TEST(copies.terminated(0, 0) == 1);
  BOOST_TEST(flag(1, "truncated") == 0);
}

BOOST_AUTO_TEST_CASE(an_agent_out_of_the_game_may_carry_any_action) {
  EnvironmentCopies copies(component<Countdown>(), 1, {{"alone", 1}, {"start", 9}});
  copies.reset_all(0);
  BOOST_TEST(static_cast<int>(copies.column(1, "alive").as<uint8_t>()[0]) == 0);
  copies.discrete(0, 1) = 1000;
  copies.step();
  copies.step();
  BOOST_TEST(copies.obs(0, 0)[0] == 7);
}

BOOST_AUTO_TEST_CASE(optional_columns_may_be_missing) {
  EnvironmentCopies copies(component<Countdown>(), 1);
  for (size_t agent = 0; agent < 2; ++agent) copies.columns(agent).out.resize(3);
  copies.reset_all(0);
  copies.step();
  BOOST_TEST(copies.obs(0, 0)[0] == 2);
}

BOOST_AUTO_TEST_CASE(pictures_and_wide_actions_pass) {
  EnvironmentCopies copies(component<Pixels>(), 3);
  const uint64_t seeds[3] = {1, 2, 3};
  copies.reset(nullptr, seeds);
  auto* pixels = copies.column(0, "obs").as<uint8_t>();
  for (int row = 0; row < 3; ++row) {
    int lit = 0;
    for (int i = 0; i < 4; ++i) lit += pixels[4 * row + i];
    BOOST_TEST(lit == 255);
  }
  const auto where = [pixels](int row) {
    return std::find(pixels + 4 * row, pixels + 4 * row + 4, 255) - pixels - 4 * row;
  };
  const long before = where(1);
  copies.box(1)[0] = copies.box(1)[1] = 1;
  copies.step();
  BOOST_TEST(where(1) == (before + 3) % 4);
  BOOST_TEST(copies.reward(1) == static_cast<float>(where(1)));
}

BOOST_AUTO_TEST_CASE(a_state_with_save_and_load_of_its_own_is_saved_loaded_and_copied) {
  EnvironmentCopies copies(component<Pixels>(), 2);
  const uint64_t seeds[2] = {1, 6};
  copies.reset(nullptr, seeds);
  const Bytes saved = copies.save(0, 1);
  BOOST_TEST(saved.size() == 8 + 8 + sizeof(spar::NumpyRandom));
  BOOST_TEST(copies.save(1) != saved);
  copies.copy(1, 0);
  copies.copy(1, 1);
  BOOST_TEST(copies.save(1) == saved);
  copies.reset(nullptr, seeds);
  BOOST_REQUIRE_EQUAL(copies.try_load(1, saved, 17), SPAR_OK);
  BOOST_TEST(copies.save(1) == saved);
  for (size_t size = 0; size < saved.size(); ++size)
    BOOST_TEST(copies.try_load(1, Bytes(saved.begin(), saved.begin() + static_cast<long>(size))) == SPAR_E_IO);
  BOOST_TEST(copies.save(1) == saved);
}

BOOST_AUTO_TEST_CASE(a_state_that_cannot_be_saved_has_no_state_extension) {
  BOOST_TEST(EnvironmentCopies(component<Opaque>(), 1).state() == nullptr);
  EnvironmentCopies walk(component<Walk>(), 1);
  BOOST_TEST(walk.state() != nullptr);
  BOOST_TEST(walk.table().get_extension(walk.handle(), "spar.env.unknown/1") == nullptr);
}

BOOST_AUTO_TEST_CASE(an_environment_with_words_has_the_text_extension) {
  BOOST_TEST(EnvironmentCopies(component<Walk>(), 1).text_extension() == nullptr);
  BOOST_TEST(EnvironmentCopies(component<OtherText>(), 1).text_extension() == nullptr);
  EnvironmentCopies told(component<Told>(), 2), named(component<Named>(), 1);
  BOOST_TEST_REQUIRE(told.text_extension() != nullptr);
  BOOST_TEST(told.text_extension()->action == nullptr);
  told.reset_all(0);
  put_cell(told, 1, 3);
  BOOST_TEST(told.text(1, 0) == "cell 3\n");
  put_cell(told, 1, 7);
  BOOST_CHECK_EXCEPTION(told.text(1, 0), std::runtime_error,
                        [](const std::runtime_error& e) { return std::string(e.what()) == "cell 7 has no words"; });
  named.reset_all(0);
  BOOST_TEST(named.action_name(0, 0, 1) == "right");
  BOOST_TEST(named.action_name(0, 0, 0) == "");
  BOOST_CHECK_EXCEPTION(named.action_name(0, 0, 2), std::runtime_error, [](const std::runtime_error& e) {
    return std::string(e.what()) == "there is no action 2 of agent `agent_0`: expected 0 .. 1";
  });
}

BOOST_AUTO_TEST_CASE(a_copy_without_a_start_neither_steps_nor_saves) {
  EnvironmentCopies copies(component<Walk>(), 3);
  BOOST_TEST(copies.try_step() == SPAR_E_STATE);
  BOOST_TEST(copies.message() == "step before reset: 3 of 3 copies were never reset");
  const uint8_t mask[3] = {1, 0, 1};
  const uint64_t seeds[3] = {1, 2, 3};
  copies.reset(mask, seeds);
  BOOST_TEST(copies.try_step() == SPAR_E_STATE);
  BOOST_TEST(copies.message() == "step before reset: 1 of 3 copies were never reset");
  BOOST_CHECK_EXCEPTION(copies.save(1), std::runtime_error, [](const std::runtime_error& e) {
    return std::string(e.what()) == "copy 1 has no state yet: reset it first";
  });
  BOOST_CHECK_THROW(copies.copy(0, 1), std::runtime_error);
  BOOST_CHECK_THROW(copies.copy(3, 0), std::runtime_error);
  copies.copy(1, 0);
  BOOST_TEST(copies.try_step() == SPAR_OK);
}

BOOST_AUTO_TEST_CASE(without_seeds_the_first_reset_draws_them_from_the_host) {
  static const spar_svc_rng rng = {sizeof(spar_svc_rng), 0, nullptr, nullptr, nullptr, [](spar_ctx*, spar_str purpose) {
                                     return std::string(purpose.ptr, purpose.len) == "environment" ? uint64_t{40} : 0;
                                   }};
  const spar_host host = {
      sizeof(spar_host), SPAR_ABI_VERSION, "test", "1",
      [](const spar_host*, const char* id) -> const void* { return std::string(id) == SPAR_SVC_RNG ? &rng : nullptr; }};
  EnvironmentCopies unseeded(component<Walk>(), 3, {}, &host), seeded(component<Walk>(), 3);
  unseeded.reset();
  const uint64_t seeds[3] = {40, 41, 42};
  seeded.reset(nullptr, seeds);
  for (uint64_t row = 0; row < 3; ++row) BOOST_TEST(unseeded.save(row) == seeded.save(row));
  unseeded.reset();
  seeded.reset();
  for (uint64_t row = 0; row < 3; ++row) BOOST_TEST(unseeded.save(row) == seeded.save(row));

  EnvironmentCopies alone(component<Walk>(), 1);
  BOOST_TEST(alone.try_reset(nullptr, nullptr) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(alone.message() == "this host does not offer the service spar.rng/1");
}

BOOST_AUTO_TEST_CASE(worlds_that_do_not_fit_the_class_are_refused) {
  BOOST_TEST(creation_failure<Walk>(0) == "an environment needs at least 1 copy, found 0");
  BOOST_TEST(creation_failure<NoAgent>() == "an environment needs at least 1 agent, found 0");
  BOOST_TEST(creation_failure<TwoWorlds>() == "step() takes the action of 1 agent, but world() lists 2");
  BOOST_TEST(creation_failure<WrongAction>() ==
             "agent `agent_0`: the action space does not fit `Action` (int64_t: discrete, const float*: box)");
  BOOST_TEST(creation_failure<ImageAction>() == "agent `agent_0`: a box of actions holds float32 numbers");
  BOOST_TEST(creation_failure<DiscreteObservation>() == "agent `agent_0`: an observation is a box or an image");
  BOOST_TEST(creation_failure<WrongObservation>() ==
             "agent `agent_0`: the observation space does not fit `Observation` (float: box, uint8_t: image)");
}

BOOST_AUTO_TEST_CASE(columns_that_do_not_fit_are_refused_by_name) {
  EnvironmentCopies copies(component<Walk>(), 2);
  copies.reset_all(0);
  const auto refusal = [&copies](const std::function<void(spar_env_io&)>& spoil) {
    spar_env_io& io = copies.io(true);
    spoil(io);
    spar_error error{};
    error.struct_size = sizeof error;
    const spar_status status = copies.table().step(copies.handle(), &io, &error);
    return status == SPAR_E_INVALID ? std::string(error.message) : "status " + std::to_string(status);
  };
  AgentColumns& agent = copies.columns(0);
  BOOST_TEST(refusal([](spar_env_io& io) { io.n_agents = 2; }) == "the call brings 2 agents, expected 1");
  BOOST_TEST(refusal([](spar_env_io& io) { io.act = nullptr; }) ==
             "step needs one batch of actions per agent, found none");
  BOOST_TEST(refusal([&](spar_env_io&) { agent.out_batch.n_columns = 2; }) ==
             "the batch of agent `agent_0` has no column `terminated`");
  BOOST_TEST(refusal([&](spar_env_io&) { agent.in_batch.n_columns = 0; }) ==
             "the batch of agent `agent_0` has no column `action`");
  BOOST_TEST(refusal([&](spar_env_io&) { agent.out_batch.rows = 1; }) ==
             "column `obs` of agent `agent_0` is 1 x 1, expected 2 copies x 1");
  int64_t wide[2] = {2, 7};
  BOOST_TEST(refusal([&](spar_env_io&) {
               agent.out_view[0].t.ndim = 2;
               agent.out_view[0].t.shape = wide;
             }) == "column `obs` of agent `agent_0` is 2 x 7, expected 2 copies x 1");
  BOOST_TEST(refusal([&](spar_env_io&) { agent.in_view[0].t.bits = 32; }) ==
             "column `action` is i32, expected a compact CPU column of i64");
  const spar_batch* none[1] = {nullptr};
  BOOST_TEST(refusal([&](spar_env_io& io) { io.act = none; }) ==
             "agent `agent_0` has no batch for its column `action`");
  BOOST_TEST(copies.try_step() == SPAR_OK);
}

BOOST_AUTO_TEST_CASE(a_configuration_of_another_length_is_refused) {
  const auto& table = *static_cast<const spar_env_vtbl*>(component<Countdown>().vtbl);
  const spar_config config{sizeof(spar_config), 0, nullptr};
  spar_env* made = nullptr;
  spar_error error{};
  error.struct_size = sizeof error;
  BOOST_TEST(table.create(nullptr, nullptr, &config, 1, &made, &error) == SPAR_E_INVALID);
  BOOST_TEST(made == nullptr);
  BOOST_TEST(std::string(error.message) == "the host passed 0 configuration values, the schema has 2");
}

BOOST_AUTO_TEST_CASE(what_an_author_throws_becomes_a_status) {
  EnvironmentCopies copies(component<Throwing>(), 1);
  copies.reset_all(0);
  put_cell(copies, 0, 4);
  BOOST_TEST(copies.try_step() == SPAR_E_CANCELLED);
  BOOST_TEST(copies.message() == "cell 4 is on fire");
  put_cell(copies, 0, 5);
  BOOST_TEST(copies.try_step() == SPAR_E_INTERNAL);
  BOOST_TEST(copies.message() == "cell 5 is closed");
}

BOOST_AUTO_TEST_SUITE_END()
