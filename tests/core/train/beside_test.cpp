// Actors beside the learner (`overlap` of the strategy): defined numbers, one learning phase behind.
#include <boost/test/unit_test.hpp>

#include "core/train/numbers.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kBesideEnd =
    "[strategy]\noverlap = true\n[stop]\nany = [{ env_steps = 700 }]\n[eval]\nevery = 250\nepisodes = 2\n";

const std::string kBesideDqn =
    "name = \"beside\"\n[env]\nid = \"CartPole-v1\"\ncount = 3\n"
    "[algorithm]\nid = \"dqn\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\nn_steps = 3\n"
    "update_freq = 8\nstate_transform = \"normalise\"\nreward_transform = \"normalise\"\n" +
    kBesideEnd;
const std::string kBesideSac =
    "name = \"beside\"\n[env]\nid = \"Pendulum-v1\"\n"
    "[algorithm]\nid = \"sac\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\n" +
    kBesideEnd;
const std::string kBesideActors =
    "name = \"beside\"\n[env]\nid = \"Pendulum-v1\"\ncount = 4\n"
    "[algorithm]\nid = \"d4pg\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\n"
    "update_freq = 4\nnum_workers = 2\nstate_transform = \"normalise\"\n" +
    kBesideEnd;
const std::string kBesideTurns =
    "name = \"beside\"\n[env]\nid = \"kuhn_poker\"\ncount = 2\n"
    "[algorithm]\nid = \"dqn\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\n" +
    kBesideEnd;

std::vector<float> values(const nn::NetworkSet& set, const std::string& name) {
  const nn::Network& network = *set.find(name);
  std::vector<float> out(network.bytes(SPAR_NET_VALUES) / sizeof(float));
  network.read(SPAR_NET_VALUES, out.data(), out.size() * sizeof(float));
  return out;
}

std::string refusal(const std::string& source, const std::vector<std::string>& assignments) {
  try {
    TrainingRun run(source, assignments);
    return "nothing was thrown";
  } catch (const Error& error) {
    return error.code() + " " + error.what() + ": " + error.help();
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(beside)

BOOST_AUTO_TEST_CASE(number_of_threads_changes_no_number) {
  for (const std::string& source : {kBesideDqn, kBesideSac, kBesideActors, kBesideTurns}) {
    const Numbers alone = numbers_of(source, {});
    BOOST_TEST(alone.metrics.size() > 500u);
    for (const uint32_t threads : {2u, 3u})
      for (int again = 0; again < 2; ++again)
        BOOST_TEST((numbers_of(source, {}, threads) == alone), threads << " threads gave other numbers\n" << source);
  }
}

BOOST_AUTO_TEST_CASE(it_is_another_training_than_the_one_that_takes_turns) {
  const Numbers beside = numbers_of(kBesideSac, {}), in_turn = numbers_of(kBesideSac, {"strategy.overlap=false"});
  BOOST_TEST(beside.sha256 != in_turn.sha256);
  BOOST_TEST(beside.metrics != in_turn.metrics);
}

// Every update is made and every transition stored, as when they take turns.
BOOST_AUTO_TEST_CASE(nothing_is_learnt_or_collected_twice_or_never) {
  for (const std::string& source : {kBesideDqn, kBesideSac, kBesideActors}) {
    TrainingRun beside(source), in_turn(source, {"strategy.overlap=false"});
    beside.run();
    in_turn.run();
    const auto &a = beside.training(), &b = in_turn.training();
    BOOST_TEST(a.counters.env_steps == 700u);
    BOOST_TEST(a.counters.updates == b.counters.updates);
    BOOST_TEST(a.learners[0]->buffer_rows() == b.learners[0]->buffer_rows());
    const auto &told = beside.evaluations(), &expected = in_turn.evaluations();
    BOOST_REQUIRE(told.size() == expected.size());
    for (size_t i = 0; i < told.size(); ++i) BOOST_TEST(told[i].step == expected[i].step);
  }
}

BOOST_AUTO_TEST_CASE(actors_go_on_with_what_was_learnt_when_the_phase_is_over) {
  TrainingRun run(kBesideSac);
  run.run();
  rollout::Learner& learner = *run.training().learners.front();
  BOOST_REQUIRE(learner.actors().size() == 1u);
  const auto acting = [&] { return values(learner.actors()[0]->networks(), "actor"); };
  const auto learnt = [&] { return values(learner.networks(), "actor"); };
  BOOST_TEST((acting() == learnt()));
  const auto before = learnt();
  learner.learn(700);
  BOOST_TEST((learnt() != before));
  BOOST_TEST((acting() == before));
  learner.refresh_actors();
  BOOST_TEST((acting() == learnt()));
}

BOOST_AUTO_TEST_CASE(who_cannot_act_beside_its_learner_is_refused) {
  BOOST_TEST(refusal("name = \"x\"\n[env]\nid = \"CartPole-v1\"\n[algorithm]\nid = \"ppo\"\n" + kBesideEnd, {}) ==
             "E0308 actors cannot run beside the learner: algorithm `org.spar.ppo` learns from what its newest policy "
             "did: leave `overlap` of the strategy out; env.shards and --threads step its environments at the same "
             "time");
}

BOOST_AUTO_TEST_SUITE_END()
