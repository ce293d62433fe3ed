// Two gradient workers reach what one learner reaches: CartPole with the settings of the preset, in every mode. One
// evaluation of 475 is enough here.
#include <string>
#include <vector>

#include "gate.hpp"

namespace {

void check_workers(const std::string& mode) {
  spar::test::gate("cartpole-dqn",
                   {"strategy.id=async", "strategy.learners=2", "strategy.mode=" + mode,
                    "stop.any=[{env_steps=50_000},{eval_return=475}]"},
                   475);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gradient_worker_gates)

BOOST_AUTO_TEST_CASE(cartpole_is_balanced_by_workers_in_step) { check_workers("bsp"); }
BOOST_AUTO_TEST_CASE(cartpole_is_balanced_by_asynchronous_workers) { check_workers("asp"); }
BOOST_AUTO_TEST_CASE(cartpole_is_balanced_by_workers_of_bounded_staleness) { check_workers("ssp"); }

BOOST_AUTO_TEST_SUITE_END()
