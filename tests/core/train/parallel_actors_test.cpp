// Parallel actors in a whole training: D4PG with several workers.
#include <boost/test/unit_test.hpp>

#include "core/train/numbers.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr const char* kD4pg =
    "name = \"actors\"\n[env]\nid = \"Pendulum-v1\"\ncount = 5\n"
    "[algorithm]\nid = \"d4pg\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\n"
    "update_freq = 10\nnum_workers = 3\nnoise = \"ou\"\nstate_transform = \"normalise\"\n"
    "[stop]\nany = [{ env_steps = 400 }]\n[eval]\nevery = 400\nepisodes = 2\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(parallel_actors)

BOOST_AUTO_TEST_CASE(number_of_threads_changes_no_number) {
  const Numbers alone = numbers_of(kD4pg, {});
  BOOST_TEST(alone.metrics.size() > 500u);
  for (const uint32_t threads : {2u, 3u}) {
    for (int again = 0; again < 3; ++again)
      BOOST_TEST((numbers_of(kD4pg, {}, threads) == alone), threads << " threads gave other numbers");
  }
}

BOOST_AUTO_TEST_CASE(number_of_actors_is_a_setting_that_changes_them) {
  const Numbers three = numbers_of(kD4pg, {}), two = numbers_of(kD4pg, {"algorithm.num_workers=2"});
  BOOST_TEST(three.sha256 != two.sha256);
}

BOOST_AUTO_TEST_CASE(actors_act_with_what_was_just_learnt) {
  TrainingRun run(kD4pg);
  run.run();
  const rollout::Learner& learner = *run.training().learners.front();
  BOOST_REQUIRE(learner.actors().size() == 3u);
  // One phase every ten transitions from the 50th on, each published.
  const uint64_t phases = run.training().counters.updates;
  BOOST_TEST(phases == 36u);
  BOOST_TEST(run.training().params.version(learner.name() + "/actors") == phases);
  const auto values = [](const nn::NetworkSet& set) {
    const nn::Network& network = *set.find("actor");
    std::vector<float> out(network.bytes(SPAR_NET_VALUES) / sizeof(float));
    network.read(SPAR_NET_VALUES, out.data(), out.size() * sizeof(float));
    return out;
  };
  for (const auto& actor : learner.actors()) {
    BOOST_TEST(actor->version() == phases);
    BOOST_TEST((values(actor->networks()) == values(learner.networks())));
    BOOST_TEST(actor->networks().size() == 1u);  // no critics, no targets
  }
}

BOOST_AUTO_TEST_CASE(one_worker_is_the_learner_itself) {
  TrainingRun d4pg(kD4pg, {"algorithm.num_workers=1"});
  BOOST_TEST(d4pg.training().learners.front()->actors().empty());
  d4pg.run();
  std::string source = kD4pg;
  source.replace(source.find("d4pg"), 4, "d3pg");
  source.erase(source.find("num_workers = 3\n"), 16);
  TrainingRun d3pg(source);
  d3pg.run();
  BOOST_TEST(d4pg.training().parameters_sha256() == d3pg.training().parameters_sha256());
}

BOOST_AUTO_TEST_CASE(more_workers_than_copies_are_refused) {
  try {
    TrainingRun run(kD4pg, {"env.count=2"});
    BOOST_ERROR("3 actors share 2 copies");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0711");
    BOOST_TEST(
        std::string(error.what()) ==
        "algorithm `org.spar.d4pg` wants 3 parallel actors and can have 2: one for each agent that it plays in each "
        "copy of the environment");
    BOOST_TEST(error.help() == "raise env.count, or ask for fewer actors (num_workers of d4pg)");
  }
}

BOOST_AUTO_TEST_SUITE_END()
