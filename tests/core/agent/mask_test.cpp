// Action masks of an embedder: whoever makes them has to give them, and nobody acts against them.
#include "core/agent/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::vector<std::string> kAlgorithms = {"dqn", "rainbow", "ppo"};

Agent make_masked(const std::string& algorithm, bool masked = true) {
  const std::string options =
      algorithm == "ppo" ? "rollout_length = 8" : "batch_size = 8\nbuffer_size = 100\nwarm_up = 10";
  return Agent::create(agent_plugins(), algorithm, {Space::box(2, -10, 10), Space::discrete(3), masked},
                       "hidden_layers = [8]\n" + options, {.steps = 1'000, .copies = 1, .max_rows = 4});
}

std::vector<uint8_t> mask_at(uint64_t t) {
  std::vector<uint8_t> mask(3, 1);
  mask[t % 3] = 0;
  return mask;
}

void drive_masked(Agent& agent, uint64_t t, uint64_t n) {
  for (const uint64_t end = t + n; t < end; ++t) {
    const std::vector<float> obs = observe(t, 2), next = observe(t + 1, 2);
    const std::vector<uint8_t> mask = mask_at(t), none(3, 0), after = t % 7 == 6 ? none : mask_at(t + 1);
    const Actions actions = agent.act(obs, {.mask = mask});
    BOOST_TEST(actions.discrete[0] != static_cast<int64_t>(t % 3));
    agent.step({.obs = obs,
                .action = actions,
                .reward = static_cast<float>(actions.discrete[0]),
                .next_obs = next,
                .terminated = t % 7 == 6,
                .mask = mask,
                .next_mask = after});
  }
}

TransitionBatch masked_batch() {
  std::vector<uint8_t> mask, next;
  for (uint64_t i = 0; i < 8; ++i)
    for (int64_t a = 0; a < 3; ++a) {
      mask.push_back(a == static_cast<int64_t>(i % 3) || a == 0);  // what dqn_batch() does is allowed
      next.push_back(a != 1);
    }
  TransitionBatch batch = dqn_batch();
  batch.add("action_mask", mask).add("next_action_mask", next);
  return batch;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(agent_masks)

BOOST_AUTO_TEST_CASE(forbidden_actions_are_never_chosen_and_states_go_on_the_same) {
  for (const std::string& algorithm : kAlgorithms) {
    BOOST_TEST_CONTEXT(algorithm) {
      Agent agent = make_masked(algorithm);
      drive_masked(agent, 0, 60);
      BOOST_TEST(agent.updates() > 0u);
      Agent revived = Agent::from_state(agent_plugins(), agent.get_state());
      for (Agent* a : {&agent, &revived}) drive_masked(*a, 60, 60);
      BOOST_TEST((bytes_of(revived) == bytes_of(agent)));
      // Greedily, for several rows at once: the only action that is allowed is the one.
      std::vector<float> obs;
      std::vector<uint8_t> only;
      for (uint64_t row = 0; row < 3; ++row) {
        for (const float x : observe(row, 2)) obs.push_back(x);
        for (uint64_t a = 0; a < 3; ++a) only.push_back(a == row ? 1 : 0);
      }
      const Actions actions = agent.act(obs, {.mode = Mode::greedy, .mask = only});
      BOOST_TEST(
          (std::vector<int64_t>(actions.discrete.begin(), actions.discrete.end()) == std::vector<int64_t>{0, 1, 2}));
    }
  }
}

// The mask of the next state is part of the target, that of the state part of a policy's loss.
BOOST_AUTO_TEST_CASE(masks_of_a_batch_count) {
  for (const std::string& algorithm : kAlgorithms) {
    BOOST_TEST_CONTEXT(algorithm) {
      Agent masked = make_masked(algorithm), free = make_masked(algorithm, false);
      BOOST_TEST(masked.parameters_sha256() == free.parameters_sha256());
      const TransitionBatch batch = masked_batch();
      if (algorithm == "ppo")
        BOOST_TEST(masked.compute_policy_loss(batch) != free.compute_policy_loss(dqn_batch()));
      else
        BOOST_TEST(masked.compute_value_loss(batch) != free.compute_value_loss(dqn_batch()));
      const std::string sha = masked.parameters_sha256();
      masked.learn(batch);
      BOOST_TEST(masked.parameters_sha256() != sha);
    }
  }
}

BOOST_AUTO_TEST_CASE(masks_that_do_not_fit_are_refused_in_one_sentence) {
  Agent agent = make_masked("dqn"), free = make_masked("dqn", false);
  const std::vector<float> obs = observe(0, 2), next = observe(1, 2);
  const std::vector<uint8_t> good = {1, 0, 1}, none(3, 0), wide(4, 1);
  const std::vector<int64_t> action = {1}, allowed = {2};
  const auto before = bytes_of(agent);
  BOOST_TEST(thrown([&] { agent.act(obs); }) == "E1001 act(): `mask` is missing, expected u8 [1, 3]");
  BOOST_TEST(thrown([&] { agent.act(obs, {.mask = wide}); }) ==
             "E1001 act(): `mask` has the shape [1, 4], expected [1, 3]");
  BOOST_TEST(thrown([&] { agent.act(obs, {.mask = obs}); }) == "E1001 act(): `mask` is f32, expected u8");
  BOOST_TEST(thrown([&] { agent.act(obs, {.mask = none}); }) ==
             "E1001 act(): `mask` is all 0 in row 0, expected at least one allowed action");
  BOOST_TEST(thrown([&] { free.act(obs, {.mask = good}); }) ==
             "E1001 act(): `mask` is given, and this agent was made without masks");
  const auto step = [&](const std::vector<int64_t>& a, const Numbers& mask, const Numbers& after) {
    return thrown(
        [&] { agent.step(Transition{.obs = obs, .action = a, .next_obs = next, .mask = mask, .next_mask = after}); });
  };
  BOOST_TEST(step(action, good, good) == "E1001 step(): `action` is 1 in row 0, which its mask forbids");
  BOOST_TEST(step(allowed, good, none) ==
             "E1001 step(): `next_mask` is all 0 in row 0, expected at least one allowed action");
  BOOST_TEST(step(allowed, good, {}) == "E1001 step(): `next_mask` is missing, expected u8 [1, 3]");
  BOOST_TEST(thrown([&] { agent.learn(dqn_batch()); }) ==
             "E1002 learn(): the batch has no column `action_mask`, expected u8 [8, 3]");
  BOOST_TEST((bytes_of(agent) == before));
}

BOOST_AUTO_TEST_CASE(algorithms_and_spaces_without_masks_are_refused) {
  const auto create = [](const std::string& algorithm, Space action) {
    return thrown([&] {
      Agent::create(agent_plugins(), algorithm, {Space::box(2, -10, 10), std::move(action), true}, {}, {.steps = 10});
    });
  };
  BOOST_TEST(
      create("qtable", Space::discrete(3)) ==
      "E0705 algorithm `org.example.qtable` does not honour action masks, and agent `agent_0` allows only some of "
      "its actions at a time");
  BOOST_TEST(create("ppo", Space::box(1, -1, 1)).find("masks of Box(1) actions have no meaning; expected Discrete") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_state_with_masks_is_none_of_an_agent_without) {
  const auto state = make_masked("dqn").get_state();
  Agent other = make_masked("dqn", false);
  BOOST_TEST(thrown([&] { other.load_state(state); }) ==
             "E1004 the state is of another agent: its spaces' masked is true, this one's is false");
}

BOOST_AUTO_TEST_SUITE_END()
