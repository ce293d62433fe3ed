#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kWorld = "environment `test.scripted/World-v0`";

std::string refusal(const ScriptedEnvironment& world) {
  const std::string text = error_of([&] { make_environment(world); });
  BOOST_TEST(world.alive == 0, "the refused environment was not destroyed");
  return text;
}

/// A step of a world with two copies and time to reset.
std::string step_of(const ScriptedEnvironment& world) {
  return error_of([&] {
    const auto environment = make_environment(world, 2);
    environment->reset(nullptr, nullptr);
    environment->step();
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout_environment)

BOOST_AUTO_TEST_CASE(failed_calls_name_component_call_and_reason) {
  ScriptedEnvironment world;
  world.fails_in = "create";
  BOOST_TEST(refusal(world) == "E0701 " + kWorld + " failed in create(): the script says so");
  world.status = SPAR_E_INVALID;
  BOOST_TEST(refusal(world) == "E0702 " + kWorld + ": the script says so");
  world.status = SPAR_E_UNSUPPORTED;
  BOOST_TEST(refusal(world) == "E0702 " + kWorld + ": the script says so");
  world.fails_in = "describe";
  BOOST_TEST(refusal(world) == "E0701 " + kWorld + " failed in describe(): the script says so");
  world.fails_in = "reset";
  BOOST_TEST(step_of(world) == "E0701 " + kWorld + " failed in reset(): the script says so");
  world.fails_in = "step";
  BOOST_TEST(step_of(world) == "E0701 " + kWorld + " failed in step(): the script says so");
  world.message.clear();
  BOOST_TEST(step_of(world) == "E0701 " + kWorld + " failed in step(): it gave no reason (status -2)");
  world.message = "two\nlines\x1b[2J";
  BOOST_TEST(step_of(world).find('\n') == std::string::npos);
  BOOST_TEST(step_of(world).find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(errors_carry_the_exit_code_of_their_kind) {
  ScriptedEnvironment world;
  world.fails_in = "create";
  BOOST_CHECK_EXCEPTION(make_environment(world), Error, [](const Error& e) { return e.exit() == Exit::crash; });
  world.status = SPAR_E_INVALID;
  BOOST_CHECK_EXCEPTION(make_environment(world), Error, [](const Error& e) { return e.exit() == Exit::usage; });
}

BOOST_AUTO_TEST_CASE(observation_that_is_not_finite_stops) {
  ScriptedEnvironment world;
  world.observe = [](const Moment& m, size_t, size_t, size_t) { return m.copy == 1 && m.t == 1 ? kNan : 0.0F; };
  BOOST_TEST(step_of(world) == "E0704 " + kWorld + " gave agent `agent_0` an observation `obs` that is not finite");
  world.observe = [](const Moment& m, size_t, size_t, size_t) {
    return m.copy == 0 && m.t == 0 ? -std::numeric_limits<float>::infinity() : 0.0F;
  };
  BOOST_TEST(step_of(world) == "E0704 " + kWorld + " gave agent `agent_0` an observation `obs` that is not finite");
}

BOOST_AUTO_TEST_CASE(reward_that_is_not_finite_stops) {
  ScriptedEnvironment world;
  for (const float bad : {kNan, std::numeric_limits<float>::infinity()}) {
    world.reward = [bad](const Moment& m, size_t) { return m.copy == 1 ? bad : 0.0F; };
    BOOST_TEST(step_of(world) == "E0704 " + kWorld + " gave agent `agent_0` a reward that is not finite");
  }
  world.reward = [](const Moment&, size_t) { return 3e38F; };  // large, and finite
  BOOST_TEST(step_of(world) == "nothing was thrown");
}

BOOST_AUTO_TEST_CASE(world_that_cannot_be_played_is_refused) {
  ScriptedEnvironment nobody;
  nobody.agents.clear();
  BOOST_TEST(refusal(nobody) == "E0703 " + kWorld + " describes a world without agents");

  spar_space binary{};
  binary.struct_size = sizeof binary;
  binary.kind = SPAR_SPACE_MULTI_BINARY;
  int64_t shape[] = {3};
  binary.ndim = 1;
  binary.shape = shape;
  ScriptedEnvironment world;
  world.agents[0].act_override = &binary;
  BOOST_TEST(refusal(world) == "E0705 " + kWorld +
                                   ", agent `agent_0`: actions of MultiBinary(3) are not offered yet; expected "
                                   "Discrete or Box");

  ScriptedEnvironment unknown;
  unknown.agents[0].columns = {"metric.speed", "state"};
  BOOST_TEST(refusal(unknown) == "E0705 " + kWorld + ", agent `agent_0`: the column `state` is not offered yet");
  BOOST_CHECK_EXCEPTION(make_environment(unknown), Error,
                        [](const Error& e) { return e.help() == "use an environment without this column"; });

  ScriptedEnvironment masked;
  masked.agents[0].columns = {"action_mask"};
  masked.agents[0].act = Space::box(2, -1, 1);
  BOOST_TEST(refusal(masked) ==
             "E0703 " + kWorld + ", agent `agent_0`: masks of Box(2) actions have no meaning; expected Discrete");
}

BOOST_AUTO_TEST_CASE(state_of_another_number_of_copies_is_refused) {
  ScriptedEnvironment world;
  ByteWriter writer;
  make_environment(world, 2)->save(writer);
  const auto bytes = writer.take();
  const auto other = make_environment(world, 3);
  ByteReader reader(bytes, "worker");
  BOOST_TEST(error_of([&] { other->load(reader); }) ==
             "E0502 the checkpoint holds 2 copies of " + kWorld + ", the run has 3");
}

BOOST_AUTO_TEST_CASE(copies_are_saved_and_restored_one_by_one) {
  ScriptedEnvironment world;
  const auto environment = make_environment(world, 2);
  environment->reset(nullptr, nullptr);
  environment->step();
  ByteWriter writer;
  environment->save(writer);
  const auto bytes = writer.take();
  environment->step();
  ByteReader reader(bytes, "worker");
  environment->load(reader);
  reader.end();
  environment->step();
  const auto& port = environment->agents()[0];
  BOOST_TEST(port.out->data<float>(0)[0] == 1002.0F);
  BOOST_TEST(port.out->data<float>(0)[1] == 101002.0F);
  world.saves = false;
  BOOST_TEST(!make_environment(world)->has_state());
}

BOOST_AUTO_TEST_CASE(shards_share_the_copies_and_each_gets_its_own_rows) {
  ScriptedEnvironment world;
  world.observe = [](const Moment& m, size_t, size_t, size_t) {
    return static_cast<float>(m.seed * 1000 + m.episode * 100 + m.copy * 10 + m.t);  // the copy's number in its shard
  };
  Crew crew(2);
  for (Crew* threads : {static_cast<Crew*>(nullptr), &crew}) {
    world.resets.clear();
    {
      const auto environment = make_environment(world, 5, {2, threads});
      BOOST_TEST(world.alive == 2);
      const float* obs = environment->agents()[0].out->data<float>(0);
      const uint64_t seeds[] = {3, 4, 5, 6, 7};
      environment->reset(nullptr, seeds);
      environment->step();
      const std::vector<float> begun = {3101, 4111, 5101, 6111, 7121};
      BOOST_TEST(std::vector<float>(obs, obs + 5) == begun, boost::test_tools::per_element());
      const uint8_t last[] = {0, 0, 0, 0, 1};
      environment->reset(last, nullptr);
      BOOST_TEST(obs[4] == 220.0F);
      BOOST_TEST(world.resets.size() == 3u);  // the first shard had nothing to reset
      BOOST_TEST(world.resets.back().mask == (std::vector<uint8_t>{0, 0, 1}), boost::test_tools::per_element());

      ByteWriter writer;
      environment->save(writer);
      const auto bytes = writer.take();
      const auto whole = make_environment(world, 5);  // one instance goes on where two were saved
      ByteReader reader(bytes, "worker");
      whole->load(reader);
      reader.end();
      whole->step();
      BOOST_TEST(whole->agents()[0].out->data<float>(0)[2] == 5102.0F);
    }
    BOOST_TEST(world.alive == 0);
  }
}

BOOST_AUTO_TEST_CASE(failure_of_a_shard_is_the_environments) {
  ScriptedEnvironment world;
  Crew crew(2);
  const auto environment = make_environment(world, 4, {2, &crew});
  environment->reset(nullptr, nullptr);
  world.fails_in = "step";
  BOOST_TEST(error_of([&] { environment->step(); }) == "E0701 " + kWorld + " failed in step(): the script says so");
  world.fails_in = "create";
  BOOST_TEST(error_of([&] {
               make_environment(world, 4, {2, &crew});
             }) == "E0701 " + kWorld + " failed in create(): the script says so");
  BOOST_TEST(world.alive == 2);
}

BOOST_AUTO_TEST_SUITE_END()
