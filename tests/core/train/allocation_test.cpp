// Counts every operator new of this program, so it is one of its own.
#include <boost/test/unit_test.hpp>

#include "support/allocation_watch.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr uint64_t kWarm = 2'000, kMeasured = 1'000;

constexpr const char* kDqn = "[env]\nid = \"CartPole-v1\"\n[algorithm]\nid = \"dqn\"\n";

void check_none(const std::vector<std::string>& assignments, const std::string& beginning = kDqn,
                uint32_t threads = 1) {
  // A budget so large that no metrics line and no evaluation falls into the first 3,000 steps.
  TrainingRun run("name = \"allocation\"\n" + beginning +
                      "hidden_layers = [32, 32]\nbatch_size = 32\nbuffer_size = 1_000\nwarm_up = 100\n"
                      "state_transform = \"normalise\"\nreward_transform = \"normalise\"\n"
                      "[stop]\nany = [{ env_steps = 1_000_000 }]\n[eval]\nevery = 500_000\n",
                  assignments, threads);
  const AllocationWatch watch = watch_allocations(run, kWarm, kWarm + kMeasured);
  BOOST_TEST(watch.updates >= kMeasured);
  BOOST_TEST(watch.episodes >= 4u);
  BOOST_TEST(watch.after - watch.before == 0u,
             watch.after - watch.before << " allocations in " << kMeasured << " steps");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(training_allocation)

BOOST_AUTO_TEST_CASE(nothing_is_allocated_while_collecting_and_learning) {
  check_none({"algorithm.prioritized=true"});
  check_none({"algorithm.prioritized=false", "algorithm.n_steps=1"});
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_for_noise_and_distributions) {
  check_none({"algorithm.noisy=true", "algorithm.lr=1e-6"});
  check_none({"algorithm.id=rainbow", "algorithm.lr=1e-6"});
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_with_several_copies) { check_none({"env.count=4"}); }

BOOST_AUTO_TEST_CASE(nothing_is_allocated_by_deterministic_actor_critics) {
  const std::string pendulum = "[env]\nid = \"Pendulum-v1\"\ncount = 2\n[algorithm]\nnoise = \"ou\"\nid = ";
  check_none({}, pendulum + "\"ddpg\"\n");
  check_none({}, pendulum + "\"d3pg\"\n");
  check_none({}, pendulum + "\"d4pg\"\nnum_workers = 2\n");  // snapshots take turns
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_by_teams) {
  const std::string spread = "[env]\nid = \"simple_spread_v3\"\ncount = 2\n[algorithm]\nid = \"dqn\"\n";
  for (const char* mode : {"shared", "joint"})
    check_none({"strategy.id=team", std::string("strategy.mode=") + mode}, spread);
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_by_central_critics) {
  for (const char* algorithm : {"ddpg", "d3pg", "sac"})
    check_none({"strategy.id=team", "strategy.mode=central_critic"},
               "[env]\nid = \"simple_speaker_listener_v4_continuous\"\ncount = 2\n[algorithm]\nid = \"" +
                   std::string(algorithm) + "\"\n");
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_while_collecting_beside_the_learner) {
  for (const uint32_t threads : {1u, 2u})
    check_none({"strategy.overlap=true", "env.count=2", "algorithm.update_freq=2", "algorithm.number_updates=2"}, kDqn,
               threads);
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_by_gradient_workers_in_step) {
  for (const uint32_t threads : {1u, 3u})
    check_none({"strategy.id=async", "strategy.learners=2", "env.count=2"}, kDqn, threads);
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_by_shards_and_shared_products) {
  check_none({"env.count=4", "env.shards=2", "algorithm.hidden_layers=[128, 128]", "algorithm.batch_size=192"}, kDqn,
             2);
}

BOOST_AUTO_TEST_SUITE_END()
