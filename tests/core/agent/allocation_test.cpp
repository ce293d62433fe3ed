#include "core/agent/fixture.hpp"
#include "support/counting_new.hpp"

using namespace spar;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(agent_allocation)

BOOST_AUTO_TEST_CASE(nothing_is_allocated_while_acting_storing_and_learning) {
  Agent dqn = make_dqn(), steady = make_steady();
  Agent masked = Agent::create(agent_plugins(), "dqn", {Space::box(2, -10, 10), Space::discrete(3), true}, kSmallDqn,
                               {.steps = 1'000});
  const std::vector<float> obs = observe(1, 2), next = observe(2, 2);
  for (Agent* agent : {&dqn, &steady, &masked}) {
    uint64_t before = 0, updates = 0;
    const std::vector<uint8_t> mask = agent == &masked ? std::vector<uint8_t>{1, 0, 1} : std::vector<uint8_t>{};
    for (int t = 0; t < 1'500; ++t) {
      if (t == 1'000) before = allocations, updates = agent->updates();
      const Actions actions = agent->act(obs, {.mask = mask});
      agent->step({.obs = obs,
                   .action = actions,
                   .reward = 1,
                   .next_obs = next,
                   .terminated = t % 5 == 4,
                   .mask = mask,
                   .next_mask = mask});
      agent->act(obs, {.mode = Mode::greedy, .mask = mask});
    }
    BOOST_TEST(agent->updates() - updates == 500u);
    BOOST_TEST(allocations - before == 0u, allocations - before << " allocations in 500 steps");
  }
}

BOOST_AUTO_TEST_SUITE_END()
