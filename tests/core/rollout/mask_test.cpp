#include <map>

#include "core/rollout/evaluation.hpp"
#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Three actions; the one of number (t + copy) % 3 is forbidden, and everything once the episode is over.
struct Masked {
  Masked() {
    world.agents[0].act = Space::discrete(3);
    world.agents[0].columns = {"action_mask"};
    world.terminated = [](const Moment& m) { return m.t == 4; };
    world.allows = [](const Moment& m, size_t, size_t action) { return m.t != 4 && action != (m.t + m.copy) % 3; };
    script.honour_masks();
    script.act = [](const spar_act&, const spar_batch& obs, spar_batch& out) {
      const auto mask = column<uint8_t>(obs, "action_mask");
      const auto action = column<int64_t>(out, "action");
      for (uint64_t i = 0; i < obs.rows; ++i) action(i) = mask(i, 0) ? 0 : 1;
    };
  }
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
};

/// Reads both mask columns of everything that is stored, by observation and true next observation.
struct MaskPair {
  std::vector<uint8_t> now, next;
};
std::map<std::pair<float, float>, MaskPair> masks_of(replay::Buffer& buffer, uint64_t draws) {
  std::map<std::pair<float, float>, MaskPair> found;
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  buffer.sample(draws, 0, &batch);
  const auto obs = column<float>(batch, "obs"), next_obs = column<float>(batch, "next_obs");
  const auto mask = column<uint8_t>(batch, "action_mask"), next = column<uint8_t>(batch, "next_action_mask");
  for (uint64_t i = 0; i < batch.rows; ++i)
    found[{obs(i), next_obs(i)}] = {{mask.row(i), mask.row(i) + 3}, {next.row(i), next.row(i) + 3}};
  buffer.release(&batch);
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(action_mask)

BOOST_AUTO_TEST_CASE(mask_of_the_moment_reaches_the_algorithm) {
  Masked m;
  Stage stage(m.world, m.script, 2);
  stage.start();
  stage.steps(5);
  const std::vector<std::vector<uint8_t>> expected = {
      {0, 1, 1, 1, 0, 1}, {1, 0, 1, 1, 1, 0}, {1, 1, 0, 0, 1, 1}, {0, 1, 1, 1, 0, 1}, {0, 1, 1, 1, 0, 1}};
  for (size_t i = 0; i < 5; ++i)  // the fifth step begins a new episode
    BOOST_TEST(m.script.acted[i].mask == expected[i], boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(evaluation_shows_the_masks_of_live_copies_and_steps_others_along) {
  Masked m, exam;
  exam.world.terminated = [](const Moment& at) { return at.t >= 2 + at.copy; };
  exam.world.allows = [](const Moment& at, size_t, size_t action) { return action != (at.t + at.copy) % 3; };
  Stage stage(m.world, m.script, 2);
  const auto environment = make_environment(exam.world, 2);
  rollout::evaluate(*environment, {{stage.learners[0].get()}}, 0, 2, 1'000);
  BOOST_REQUIRE(m.script.acted.size() == 3u);
  BOOST_TEST(m.script.acted[2].mask == (std::vector<uint8_t>{0, 1, 1}), boost::test_tools::per_element());
  // Copy 0 is over: it was reset, and goes on with an action that is allowed there.
  BOOST_TEST(exam.world.discrete[2] == (std::vector<int64_t>{1, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(memories_hold_the_mask_before_and_after) {
  using Pair = std::pair<float, float>;
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_ROLLOUT}) {
    Masked m;
    m.script.needs.buffer_kind = kind;
    Stage stage(m.world, m.script);
    stage.start();
    stage.steps(5);
    auto found = masks_of(*m.script.contexts.at("learner/agent_0")->buffer, kind == SPAR_BUF_REPLAY ? 300 : 0);
    BOOST_REQUIRE(found.size() == 5u);
    BOOST_TEST((found[Pair{1000, 1001}].now == std::vector<uint8_t>{0, 1, 1}));
    BOOST_TEST((found[Pair{1000, 1001}].next == std::vector<uint8_t>{1, 0, 1}));
    BOOST_TEST((found[Pair{1003, 1004}].now == std::vector<uint8_t>{0, 1, 1}));
    BOOST_TEST((found[Pair{1003, 1004}].next == std::vector<uint8_t>{0, 0, 0}));  // not of the reset observation
    BOOST_TEST((found[Pair{2000, 2001}].now == std::vector<uint8_t>{0, 1, 1}));
  }
}

BOOST_AUTO_TEST_CASE(window_of_several_steps_ends_with_the_mask_of_its_last_observation) {
  Masked m;
  m.script.needs.n_step = 3;
  Stage stage(m.world, m.script);
  stage.start();
  stage.steps(3);
  auto found = masks_of(*m.script.contexts.at("learner/agent_0")->buffer, 10);
  BOOST_REQUIRE(found.size() == 1u);
  BOOST_TEST((found.begin()->first == std::pair<float, float>{1000, 1003}));
  BOOST_TEST((found.begin()->second.now == std::vector<uint8_t>{0, 1, 1}));
  BOOST_TEST((found.begin()->second.next == std::vector<uint8_t>{0, 1, 1}));
}

BOOST_AUTO_TEST_CASE(warm_up_is_uniform_over_the_allowed_actions) {
  Masked m;
  m.world.terminated = [](const Moment&) { return false; };
  m.world.allows = [](const Moment& at, size_t, size_t action) { return at.t % 2 == 0 ? action != 1 : action == 1; };
  m.script.needs.warmup = 4'000;
  Stage stage(m.world, m.script, 2);
  stage.start();
  stage.steps(2'000);
  std::vector<int> even(3, 0), odd(3, 0);
  for (size_t t = 0; t < m.world.discrete.size(); ++t)
    for (const int64_t action : m.world.discrete[t]) ++(t % 2 == 0 ? even : odd)[static_cast<size_t>(action)];
  BOOST_TEST(odd == (std::vector<int>{0, 2'000, 0}), boost::test_tools::per_element());
  BOOST_TEST(even[1] == 0);
  BOOST_TEST(std::abs(even[0] - 1'000) < 100);  // 4.5 standard deviations
}

BOOST_AUTO_TEST_CASE(forbidden_action_is_refused) {
  Masked m;
  m.script.act = [](const spar_act&, const spar_batch&, spar_batch& out) {
    column<int64_t>(out, "action")(0) = 2;
    column<int64_t>(out, "action")(1) = 1;
  };
  Stage stage(m.world, m.script, 2);
  stage.start();
  BOOST_TEST(error_of([&] { stage.steps(1); }) ==
             "E0706 algorithm `test.scripted` chose action 1 for agent `agent_0`, which its action_mask forbids now");
}

BOOST_AUTO_TEST_CASE(mask_that_allows_nothing_is_refused_unless_the_episode_has_ended) {
  for (const uint64_t bad : {0u, 2u}) {
    Masked m;
    m.world.allows = [bad](const Moment& at, size_t, size_t) { return at.t != bad || at.copy == 0; };
    Stage stage(m.world, m.script, 2);
    BOOST_TEST(error_of([&] {
                 stage.start();
                 stage.steps(2);
               }) ==
               "E0710 environment `test.scripted/World-v0` allows agent `agent_0` no action in copy 1: its action_mask "
               "is all 0, expected at least one action until the episode ends");
  }
  Masked m;
  Stage stage(m.world, m.script, 2);
  stage.start();
  BOOST_TEST(error_of([&] { stage.steps(9); }) == "nothing was thrown");
}

BOOST_AUTO_TEST_CASE(algorithm_that_does_not_honour_masks_is_refused) {
  Masked m;
  ScriptedAlgorithm blind;
  BOOST_CHECK_EXCEPTION(Stage(m.world, blind), Error, [](const Error& e) {
    return e.code() == "E0705" && e.exit() == Exit::usage &&
           e.help() == "choose an algorithm that does, for instance ppo" &&
           std::string(e.what()) ==
               "algorithm `test.scripted` does not honour action masks, and agent `agent_0` allows only some of its "
               "actions at a time";
  });
  BOOST_TEST(blind.alive == 0);
}

BOOST_AUTO_TEST_CASE(restored_worker_goes_on_with_the_masks_that_it_had) {
  Masked m, other;
  m.script.needs.buffer_kind = other.script.needs.buffer_kind = SPAR_BUF_ROLLOUT;
  Stage stage(m.world, m.script, 2), copy(other.world, other.script, 2);
  stage.start();
  stage.steps(3);
  copy.load(stage.save());
  copy.env_steps = stage.env_steps;
  m.script.acted.clear();
  stage.steps(4);
  copy.steps(4);
  for (size_t i = 0; i < 4; ++i)
    BOOST_TEST(m.script.acted[i].mask == other.script.acted[i].mask, boost::test_tools::per_element());
  BOOST_TEST((stage.save() == copy.save()));
}

BOOST_AUTO_TEST_SUITE_END()
