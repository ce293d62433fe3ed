#include "core/rollout/step_log.hpp"

#include "core/rollout/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Two copies; episodes are cut off, end, and are paid differently in every step.
struct Uneven : ScriptedEnvironment {
  Uneven() {
    agents[0].columns = {"truncated"};
    terminated = [](const Moment& m) { return m.episode % 2 == 1 && m.t == 3 + m.copy; };
    truncated = [](const Moment& m) { return m.episode % 2 == 0 && m.t == 4; };
    reward = [](const Moment& m, size_t) { return static_cast<float>(m.t * 3 + m.copy); };
  }
};

struct Transformed : ScriptedAlgorithm {
  Transformed() {
    keep_in_networks();
    needs.n_step = 2;
    needs.warmup = 6;
    needs.state_transform = "normalise";
    needs.reward_transform = "clip(5)";
  }
};

std::vector<std::byte> statistics(const Stage& stage) {
  ByteWriter writer;
  stage.learners[0]->transforms().observation.save(writer);
  return writer.take();
}

void round_of(Stage& stage, int steps, std::vector<rollout::Episode>& episodes) {
  stage.worker->begin_round();
  for (int i = 0; i < steps; ++i) stage.env_steps += stage.worker->step(stage.env_steps, 2);
  stage.worker->settle();
  const auto& finished = stage.worker->finished();
  episodes.insert(episodes.end(), finished.begin(), finished.end());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(step_log)

BOOST_AUTO_TEST_CASE(learner_takes_in_order_all_that_it_would_have_taken_at_once) {
  Uneven world, same_world;
  Transformed script, same_script;
  Stage at_once(world, script, 2), later(same_world, same_script, 2, {}, {}, true);
  at_once.start();
  later.start();
  at_once.steps(23);
  std::vector<rollout::Episode> episodes;
  round_of(later, 5, episodes);
  round_of(later, 1, episodes);
  round_of(later, 17, episodes);
  BOOST_TEST(at_once.memory().size() > 20u);
  BOOST_TEST(later.memory() == at_once.memory(), boost::test_tools::per_element());
  BOOST_TEST((statistics(later) == statistics(at_once)));
  BOOST_REQUIRE(episodes.size() == at_once.episodes.size());
  BOOST_TEST(episodes.size() > 6u);
  for (size_t i = 0; i < episodes.size(); ++i) {
    BOOST_TEST(episodes[i].lane == at_once.episodes[i].lane);
    BOOST_TEST(episodes[i].episode_return == at_once.episodes[i].episode_return);
    BOOST_TEST(episodes[i].length == at_once.episodes[i].length);
  }
}

BOOST_AUTO_TEST_CASE(learner_sees_nothing_before_it_is_settled) {
  Uneven world;
  Transformed script;
  Stage stage(world, script, 2, {}, {}, true);
  stage.start();
  const auto nothing = statistics(stage);
  stage.worker->begin_round();
  for (int i = 0; i < 6; ++i) stage.worker->step(2 * static_cast<uint64_t>(i), 2);
  BOOST_TEST(stage.learners[0]->buffer_rows() == 0u);
  BOOST_TEST((statistics(stage) == nothing));
  stage.worker->settle();
  BOOST_TEST(stage.learners[0]->buffer_rows() > 6u);
  BOOST_TEST((statistics(stage) != nothing));
}

BOOST_AUTO_TEST_CASE(what_is_learnt_outside_networks_cannot_be_acted_on_beside) {
  ScriptedEnvironment world;
  ScriptedAlgorithm script;
  BOOST_TEST(error_of([&] { Stage(world, script, 1, {}, {}, true); }) ==
             "E0308 actors cannot run beside the learner: algorithm `test.scripted` keeps what it learns outside the "
             "host's networks (SPAR_ALGO_HOSTED_NETWORKS is not set)");
  BOOST_TEST(script.alive == 0);
}

BOOST_AUTO_TEST_SUITE_END()
