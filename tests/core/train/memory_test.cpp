// What a run says it needs against what the process then uses at most, each run in a process of its own.
#include "core/base/memory.hpp"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "support/training_run.hpp"

using namespace spar;
using namespace spar::test;

namespace {

struct Bytes {
  uint64_t reported = 0, used = 0;
};

/// The memory of a run beside that of the program, which has trained a little before: its code is loaded.
Bytes measure(const std::string& source, const std::vector<std::string>& large,
              const std::vector<std::string>& little) {
  std::vector<std::string> small = large;
  small.insert(small.end(), little.begin(), little.end());
  TrainingRun(source, small).run();
  malloc_trim(0);
  const uint64_t before = memory_in_use();
  TrainingRun run(source, large);
  const uint64_t reported = run.training().memory_bytes();
  run.run();
  return {reported, most_memory_in_use() - before};
}

/// `little`: what makes the same run a small one.
void check_within_a_tenth(const std::string& source, const std::vector<std::string>& large,
                          const std::vector<std::string>& little) {
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    Bytes bytes;
    try {
      bytes = measure(source, large, little);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(write(ends[1], &bytes, sizeof bytes) == sizeof bytes ? 0 : 1);
  }
  close(ends[1]);
  Bytes bytes;
  const bool answered = read(ends[0], &bytes, sizeof bytes) == sizeof bytes;
  close(ends[0]);
  int status = 0;
  BOOST_REQUIRE(waitpid(child, &status, 0) == child);
  BOOST_REQUIRE(answered);
  const double ratio = static_cast<double>(bytes.used) / static_cast<double>(bytes.reported);
  BOOST_TEST_MESSAGE("reported " << bytes.reported << ", used " << bytes.used << ", ratio " << ratio);
  BOOST_TEST(bytes.used > uint64_t{30} << 20);  // or the program itself is what is measured
  BOOST_TEST(ratio > 0.9);
  BOOST_TEST(ratio < 1.1);
}

const std::vector<std::string> kLittleReplay = {"algorithm.buffer_size=100", "algorithm.warm_up=50",
                                                "algorithm.update_freq=50",  "algorithm.hidden_layers=[8]",
                                                "algorithm.batch_size=16",   "stop={any=[{env_steps=200}]}"};
const std::vector<std::string> kLittleRollout = {"env.count=2", "algorithm.rollout_length=16",
                                                 "algorithm.batch_size=16", "stop={any=[{env_steps=100}]}"};
const std::string kEnd = "[eval]\nevery = 1_000_000_000\nepisodes = 1\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(of_a_large_replay) {
  check_within_a_tenth("name = \"memory\"\n[env]\nid = \"CartPole-v1\"\ncount = 16\n[algorithm]\nid = \"dqn\"\n" + kEnd,
                       {"algorithm.hidden_layers=[64,64]", "algorithm.buffer_size=600_000", "algorithm.warm_up=1000",
                        "algorithm.update_freq=10_000", "algorithm.n_steps=3", "stop={any=[{env_steps=620_000}]}"},
                       kLittleReplay);
}

BOOST_AUTO_TEST_CASE(of_a_team_with_central_critics) {
  check_within_a_tenth(
      "name = \"memory\"\n[env]\nid = \"simple_spread_v3_continuous\"\ncount = 32\n[strategy]\nid = \"team\"\nmode = "
      "\"central_critic\"\n[algorithm]\nid = \"ddpg\"\n" +
          kEnd,
      {"algorithm.buffer_size=60_000", "algorithm.warm_up=50_000", "algorithm.update_freq=60_000",
       "algorithm.batch_size=1024", "stop={any=[{env_steps=62_000}]}"},
      kLittleReplay);
}

BOOST_AUTO_TEST_CASE(of_a_replay_that_is_not_filled) {
  check_within_a_tenth("name = \"memory\"\n[env]\nid = \"CartPole-v1\"\ncount = 16\n[algorithm]\nid = \"dqn\"\n" + kEnd,
                       {"algorithm.hidden_layers=[64,64]", "algorithm.buffer_size=2_000_000", "algorithm.warm_up=1000",
                        "algorithm.update_freq=10_000", "stop={any=[{env_steps=400_000}]}"},
                       kLittleReplay);
}

BOOST_AUTO_TEST_CASE(of_a_prioritised_replay) {
  check_within_a_tenth("name = \"memory\"\n[env]\nid = \"Pendulum-v1\"\ncount = 16\n[algorithm]\nid = \"sac\"\n" + kEnd,
                       {"algorithm.hidden_layers=[256,256]", "algorithm.batch_size=256", "algorithm.prioritized=true",
                        "algorithm.buffer_size=500_000", "algorithm.warm_up=1000", "algorithm.update_freq=20_000",
                        "stop={any=[{env_steps=500_000}]}"},
                       kLittleReplay);
}

BOOST_AUTO_TEST_CASE(of_a_long_rollout) {
  check_within_a_tenth("name = \"memory\"\n[env]\nid = \"Pendulum-v1\"\ncount = 64\n[algorithm]\nid = \"ppo\"\n" + kEnd,
                       {"algorithm.hidden_layers=[64,64]", "algorithm.rollout_length=4096", "algorithm.batch_size=4096",
                        "algorithm.num_epochs=1", "algorithm.actor_number_updates=1",
                        "algorithm.critic_number_updates=1", "stop={any=[{env_steps=520_000}]}"},
                       kLittleRollout);
}

BOOST_AUTO_TEST_CASE(of_frames) {
  check_within_a_tenth("name = \"memory\"\n[env]\nid = \"catch\"\ncount = 8\n[algorithm]\nid = \"dqn\"\n" + kEnd,
                       {"algorithm.hidden_layers=[16]", "algorithm.buffer_size=10_000", "algorithm.warm_up=1000",
                        "algorithm.update_freq=2000", "algorithm.network=mlp", "stop={any=[{env_steps=10_000}]}"},
                       kLittleReplay);
}

BOOST_AUTO_TEST_CASE(of_parallel_actors) {
  check_within_a_tenth("name = \"memory\"\n[env]\nid = \"Pendulum-v1\"\ncount = 4\n[algorithm]\nid = \"d4pg\"\n" + kEnd,
                       {"algorithm.hidden_layers=[640,640]", "algorithm.num_workers=2", "algorithm.buffer_size=1000",
                        "algorithm.warm_up=500", "algorithm.update_freq=100", "stop={any=[{env_steps=1000}]}"},
                       kLittleReplay);
}

BOOST_AUTO_TEST_CASE(of_large_networks) {
  check_within_a_tenth("name = \"memory\"\n[env]\nid = \"CartPole-v1\"\n[algorithm]\nid = \"dqn\"\n" + kEnd,
                       {"algorithm.hidden_layers=[1024,1024]", "algorithm.buffer_size=1000", "algorithm.warm_up=500",
                        "algorithm.update_freq=100", "stop={any=[{env_steps=1000}]}"},
                       kLittleReplay);
}

BOOST_AUTO_TEST_SUITE_END()
