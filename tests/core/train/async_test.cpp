// Several gradient workers (strategy `async`): equal to the learner alone where they are one, defined numbers in step,
// and counts that hold where everybody goes at its own speed.
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "core/train/numbers.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kAsyncEnd = "[stop]\nany = [{ env_steps = 500 }]\n[eval]\nevery = 200\nepisodes = 2\n";
const std::string kAsyncDqn =
    "name = \"async\"\n[env]\nid = \"CartPole-v1\"\ncount = 3\n"
    "[algorithm]\nid = \"dqn\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\nn_steps = 3\n"
    "update_freq = 4\nnumber_updates = 2\ntarget_update_every = 7\nprioritized = true\n"
    "state_transform = \"normalise\"\nreward_transform = \"normalise\"\n" +
    kAsyncEnd;
const std::string kAsyncSac =
    "name = \"async\"\n[env]\nid = \"Pendulum-v1\"\n"
    "[algorithm]\nid = \"sac\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\nalpha_lr = "
    "1e-3\n" +
    kAsyncEnd;
const std::string kAsyncActors =
    "name = \"async\"\n[env]\nid = \"Pendulum-v1\"\ncount = 4\n"
    "[algorithm]\nid = \"d4pg\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\n"
    "update_freq = 4\nnum_workers = 2\nstate_transform = \"normalise\"\n" +
    kAsyncEnd;
const std::string kAsyncPpo =
    "name = \"async\"\n[env]\nid = \"CartPole-v1\"\n[algorithm]\nid = \"ppo\"\nhidden_layers = [16]\n" + kAsyncEnd;
const std::string kAsyncTurns =
    "name = \"async\"\n[env]\nid = \"kuhn_poker\"\ncount = 2\n"
    "[algorithm]\nid = \"dqn\"\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 400\nwarm_up = 50\nn_steps = 2\n" +
    kAsyncEnd;

/// Those of the strategy `async`, behind which more may come.
std::vector<std::string> with_workers(int learners, const std::string& mode, std::vector<std::string> more = {}) {
  more.insert(more.begin(),
              {"strategy.id=async", "strategy.learners=" + std::to_string(learners), "strategy.mode=" + mode});
  return more;
}

std::string async_refusal(const std::string& source, const std::vector<std::string>& assignments) {
  try {
    TrainingRun(source, assignments).run();
    return "nothing was thrown";
  } catch (const Error& error) {
    return error.code() + " " + error.what() + ": " + error.help();
  }
}

/// The last value of a metric in the file.
double newest_value(const TrainingRun& run, const std::string& metric) {
  std::istringstream lines(read_file(run.directory() / "metrics.jsonl"));
  double value = std::nan("");
  for (std::string line; std::getline(lines, line);) {
    const auto found = boost::json::parse(line).as_object();
    if (const auto* number = found.if_contains(metric)) value = number->to_number<double>();
  }
  return value;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(async)

BOOST_AUTO_TEST_CASE(policy_that_is_taken_over_reaches_every_worker) {
  TrainingRun from(kAsyncDqn, with_workers(2, "bsp")), to(kAsyncDqn, with_workers(2, "bsp", {"seed=2"}));
  rollout::Learner &giver = *from.training().learners[0], &taker = *to.training().learners[0];
  const std::string given = giver.networks().sha256();
  BOOST_TEST(taker.networks().sha256() != given);
  ByteWriter writer;
  giver.save_policy(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "policy");
  taker.take_policy(reader);
  BOOST_TEST(taker.networks().sha256() == given);
  for (size_t worker = 0; worker < 2; ++worker) BOOST_TEST((*taker.workers())[worker].networks().sha256() == given);
}

BOOST_AUTO_TEST_CASE(one_worker_in_step_is_the_independent_learner_byte_for_byte) {
  for (const std::string& source : {kAsyncDqn, kAsyncSac, kAsyncActors, kAsyncPpo, kAsyncTurns}) {
    const Numbers alone = numbers_of(source, {"strategy.id=independent"});
    BOOST_TEST(alone.metrics.size() > 500u);
    BOOST_TEST((numbers_of(source, {"strategy.id=async"}) == alone), source);
  }
}

BOOST_AUTO_TEST_CASE(numbers_in_step_depend_on_no_thread) {
  for (const std::string& source : {kAsyncDqn, kAsyncSac, kAsyncActors, kAsyncTurns}) {
    const Numbers alone = numbers_of(source, with_workers(3, "bsp"));
    BOOST_TEST(alone.metrics.size() > 500u);
    BOOST_TEST(alone.sha256 != numbers_of(source, with_workers(2, "bsp")).sha256);
    for (const uint32_t threads : {2u, 4u})
      BOOST_TEST((numbers_of(source, with_workers(3, "bsp"), threads) == alone), threads << " threads\n" << source);
  }
}

BOOST_AUTO_TEST_CASE(noise_of_networks_is_each_workers_own) {
  const auto assignments = with_workers(2, "bsp", {"algorithm.noisy=true"});
  BOOST_TEST((numbers_of(kAsyncDqn, assignments, 2) == numbers_of(kAsyncDqn, assignments)));
}

BOOST_AUTO_TEST_CASE(updates_in_step_are_as_many_as_those_of_one_learner) {
  for (const std::string& source : {kAsyncDqn, kAsyncSac}) {
    TrainingRun one(source), three(source, with_workers(3, "bsp"));
    one.run();
    three.run();
    BOOST_TEST(three.training().counters.updates == one.training().counters.updates);
    BOOST_TEST(three.training().counters.env_steps == 500u);
  }
}

BOOST_AUTO_TEST_CASE(samples_for_each_transition_set_the_cadence_in_step) {
  // 450 transitions count, four samples for each, by two workers with batches of 16.
  TrainingRun run(kAsyncSac, with_workers(2, "bsp", {"strategy.samples_per_insert=4"}));
  run.run();
  BOOST_TEST(run.training().counters.updates == 450u * 4 / 32);
  BOOST_TEST(async_refusal(kAsyncPpo, {"strategy.id=async", "strategy.samples_per_insert=4"}) ==
             "E0308 strategy `org.spar.async` plans the group `agent_0` with samples_per_insert, and algorithm "
             "`org.spar.ppo` learns once from what its newest policy did, not from a replay memory: leave "
             "`samples_per_insert` of the strategy out");
}

BOOST_AUTO_TEST_CASE(counts_hold_where_actors_and_learners_go_each_at_its_own_speed) {
  const std::vector<std::pair<const char*, uint32_t>> runs = {{"asp", 3}, {"asp", 1}, {"ssp", 2}};
  for (const auto& [mode, threads] : runs)
    for (const std::string& source : {kAsyncDqn, kAsyncSac, kAsyncActors, kAsyncTurns}) {
      TrainingRun run(source, with_workers(2, mode), threads);
      run.run();
      const train::Training& t = run.training();
      BOOST_TEST(t.counters.env_steps == 500u);
      BOOST_TEST(run.evaluations().size() >= 3u);
      const rollout::Learner& learner = *t.learners[0];
      const spar_needs& needs = learner.needs();
      const double ratio = needs.updates * 16.0 / static_cast<double>(needs.learn_every);
      const double expected = ratio * (500 - 50) / 16, slack = std::max<double>(16, needs.updates);
      BOOST_TEST(static_cast<double>(t.learn_steps[0]) <= expected + slack + 1);
      BOOST_TEST(static_cast<double>(t.learn_steps[0]) >= expected / 2 - slack);  // where turns are taken: later
      const double measured = newest_value(run, "async/samples_per_insert");
      BOOST_TEST(measured > 0);
      BOOST_TEST(std::abs(measured - ratio) < ratio / 2);
      BOOST_TEST(newest_value(run, "async/staleness") >= 0);
      BOOST_TEST(newest_value(run, "async/staleness_max") >= newest_value(run, "async/staleness"));
    }
}

BOOST_AUTO_TEST_CASE(algorithms_that_learn_from_their_newest_policy_cannot_share) {
  BOOST_TEST(
      async_refusal(kAsyncPpo, with_workers(2, "bsp")) ==
      "E0308 several learners cannot share what they learn: algorithm `org.spar.ppo` learns from what its newest "
      "policy did, not from a replay memory: set `learners` of the strategy to 1 and its `mode` to \"bsp\"; "
      "env.shards and --threads step its environments at the same time");
  BOOST_TEST(async_refusal(kAsyncPpo, with_workers(1, "asp")) ==
             "E0308 actors cannot run beside the learner: algorithm `org.spar.ppo` learns from what its newest policy "
             "did, not from a replay memory: set `learners` of the strategy to 1 and its `mode` to \"bsp\"; env.shards "
             "and --threads step its environments at the same time");
}

BOOST_AUTO_TEST_SUITE_END()
