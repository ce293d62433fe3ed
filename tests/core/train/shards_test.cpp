// Copies of an environment in several instances, on several threads.
#include <boost/test/unit_test.hpp>

#include "core/train/numbers.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr const char* kPpo =
    "name = \"shards\"\n[env]\nid = \"Pendulum-v1\"\ncount = 6\n"
    "[algorithm]\nid = \"ppo\"\nhidden_layers = [16]\nrollout_length = 64\nbatch_size = 32\n"
    "state_transform = \"normalise\"\n[stop]\nany = [{ env_steps = 2_000 }]\n[eval]\nevery = 1_000\nepisodes = 2\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(environment_shards)

// Environments of the SDK draw from the seeds of their copies alone.
BOOST_AUTO_TEST_CASE(number_of_shards_and_threads_changes_no_number) {
  const Numbers whole = numbers_of(kPpo, {});
  BOOST_TEST(whole.metrics.size() > 500u);
  for (const char* shards : {"env.shards=2", "env.shards=4"})
    for (const uint32_t threads : {1u, 2u, 3u})
      BOOST_TEST((numbers_of(kPpo, {shards}, threads) == whole),
                 shards << ", " << threads << " threads gave other numbers");
}

BOOST_AUTO_TEST_CASE(no_shard_is_empty) {
  try {
    TrainingRun run(kPpo, {"env.shards=7"});
    BOOST_ERROR("7 shards share 6 copies");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0205");
    BOOST_TEST(std::string(error.what()).find("`shards` in [env] must be <= `count`, here 6, found the number 7") !=
                   std::string::npos,
               error.what());
  }
}

BOOST_AUTO_TEST_SUITE_END()
