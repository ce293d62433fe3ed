// Counts every operator new of this program, so it is one of its own.
#include <boost/test/unit_test.hpp>

#include "support/allocation_watch.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr uint64_t kFrom = 2'000, kTo = 4'900;  // the first metrics line is written at 5,000

}  // namespace

BOOST_AUTO_TEST_SUITE(on_policy_allocation)

BOOST_AUTO_TEST_CASE(nothing_is_allocated_while_collecting_and_learning) {
  for (const std::string environment : {"CartPole-v1", "Pendulum-v1", "probe/masked", "simple_spread_v3"}) {
    std::vector<std::string> assignments;
    if (environment == "simple_spread_v3") assignments = {"strategy.id=team", "strategy.mode=central_critic"};
    TrainingRun run(
        "name = \"allocation\"\n[env]\nid = \"" + environment +
            "\"\ncount = 4\n[algorithm]\nid = \"ppo\"\nhidden_layers = [32]\nrollout_length = 32\nbatch_size = 48\n"
            "state_transform = \"normalise\"\nreward_transform = \"normalise\"\n"
            "[stop]\nany = [{ env_steps = 1_000_000 }]\n[eval]\nevery = 500_000\n",
        assignments);
    const AllocationWatch watch = watch_allocations(run, kFrom, kTo);
    BOOST_TEST(watch.updates >= 20u);
    BOOST_TEST(watch.after - watch.before == 0u, environment << ": " << watch.after - watch.before << " allocations");
  }
}

BOOST_AUTO_TEST_SUITE_END()
