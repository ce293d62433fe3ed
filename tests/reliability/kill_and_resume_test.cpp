// A run that is killed with SIGKILL at a random moment and resumed ends like one that was never interrupted: the same
// parameters, the same metrics, the same evaluations, byte for byte.
#include <signal.h>

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "support/process.hpp"

using namespace spar::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSpar = SPAR_BUILD_DIR "/bin/spar";

// Prioritised n-step replay, two copies, statistics of the transforms: everything that a checkpoint has to hold.
constexpr const char* kExperiment =
    "name = \"kill\"\n"
    "[env]\nid = \"CartPole-v1\"\ncount = 2\n"
    "[algorithm]\nid = \"dqn\"\nhidden_layers = [64, 64]\nbatch_size = 64\nbuffer_size = 3_000\nwarm_up = 200\n"
    "update_freq = 2\nnumber_updates = 1\nlr = 1e-3\nstate_transform = \"normalise\"\nreward_transform = "
    "\"normalise\"\n"
    "[stop]\nany = [{ env_steps = 20_000 }]\n"
    "[eval]\nevery = 4_000\nepisodes = 5\n"
    "[checkpoint]\nevery = 700\n";

// On-policy: most moments lie in the middle of a rollout.
constexpr const char* kOnPolicy =
    "name = \"kill\"\n"
    "[env]\nid = \"CartPole-v1\"\ncount = 3\n"
    "[algorithm]\nid = \"ppo\"\nhidden_layers = [64, 64]\nrollout_length = 40\nbatch_size = 50\nnum_epochs = 4\n"
    "lr_schedule = \"linear\"\nusing_kl_div = true\ntarget_kl = 0.02\nstate_transform = \"normalise\"\n"
    "reward_transform = \"normalise\"\n"
    "[stop]\nany = [{ env_steps = 60_000 }]\n"
    "[eval]\nevery = 10_000\nepisodes = 5\n"
    "[checkpoint]\nevery = 700\n";

// Parallel actors with networks, generators and correlated noise of their own.
constexpr const char* kParallelActors =
    "name = \"kill\"\n"
    "[env]\nid = \"Pendulum-v1\"\ncount = 3\n"
    "[algorithm]\nid = \"d4pg\"\nnum_workers = 2\nnoise = \"ou\"\nhidden_layers = [64, 64]\nnum_atoms = 21\n"
    "buffer_size = 3_000\nwarm_up = 200\nupdate_freq = 4\nstate_transform = \"normalise\"\n"
    "reward_transform = \"normalise\"\n"
    "[stop]\nany = [{ env_steps = 20_000 }]\n"
    "[eval]\nevery = 4_000\nepisodes = 5\n"
    "[checkpoint]\nevery = 700\n";

// One acting instance with correlated noise: its state is the algorithm's own.
constexpr const char* kCorrelatedNoise =
    "name = \"kill\"\n"
    "[env]\nid = \"Pendulum-v1\"\ncount = 2\n"
    "[algorithm]\nid = \"ddpg\"\nnoise = \"ou\"\nhidden_layers = [64, 64]\nbuffer_size = 3_000\nwarm_up = 200\n"
    "update_freq = 4\nstate_transform = \"normalise\"\nreward_transform = \"normalise\"\n"
    "[stop]\nany = [{ env_steps = 20_000 }]\n"
    "[eval]\nevery = 4_000\nepisodes = 5\n"
    "[checkpoint]\nevery = 700\n";

// Draws of the policy, a learnt temperature and its optimiser.
constexpr const char* kSac =
    "name = \"kill\"\n"
    "[env]\nid = \"Pendulum-v1\"\ncount = 2\n"
    "[algorithm]\nid = \"sac\"\nhidden_layers = [64, 64]\nbuffer_size = 3_000\nwarm_up = 200\nalpha_lr = 1e-3\n"
    "update_freq = 2\nstate_transform = \"normalise\"\nreward_transform = \"normalise\"\n"
    "[stop]\nany = [{ env_steps = 12_000 }]\n"
    "[eval]\nevery = 4_000\nepisodes = 5\n"
    "[checkpoint]\nevery = 700\n";

// Populations, their payoffs and the regrets of the meta-solver.
constexpr const char* kPsro =
    "name = \"kill\"\n"
    "[env]\nid = \"leduc_poker\"\n"
    "[scenario]\nid = \"psro\"\nmeta_iterations = 300\n"
    "[stop]\nany = [{ iterations = 300 }]\n"
    "[checkpoint]\nevery = 17\n";

// An iteration is learnt again from its beginning, by the same draws.
constexpr const char* kLearnedPsro =
    "name = \"kill\"\n"
    "[env]\nid = \"kuhn_poker\"\ncount = 4\n"
    "[algorithm]\nid = \"dqn\"\nhidden_layers = [32]\nbatch_size = 32\nbuffer_size = 2_000\nwarm_up = 100\n"
    "update_freq = 4\nnumber_updates = 1\nn_steps = 1\nstate_transform = \"normalise\"\n"
    "[scenario]\nid = \"psro\"\noracle = \"learned\"\n"
    "[stop]\nany = [{ iterations = 12 }]\ntraining.any = [{ env_steps = 4_000 }]\n"
    "[checkpoint]\nevery = 2\n";

constexpr const char* kCfr =
    "name = \"kill\"\n"
    "[env]\nid = \"leduc_poker\"\n"
    "[scenario]\nid = \"cfr_plus\"\n"
    "[stop]\nany = [{ iterations = 20_000 }]\n"
    "[checkpoint]\nevery = 700\n";

struct Finished {
  std::string parameters, metrics, evaluations;
};

fs::path only_run(const fs::path& directory) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(directory / "runs")) found = entry.path();
  return found;
}

/// What a run left behind; `out` is the standard output of the program that ended it.
Finished finished(const ProcessResult& result, const fs::path& run) {
  BOOST_REQUIRE_MESSAGE(result.exit_code == 0, "exit code " << result.exit_code << ": " << result.err);
  std::string last = result.out.substr(0, result.out.find_last_not_of('\n') + 1);
  last = last.substr(last.rfind('\n') + 1);
  const auto summary = boost::json::parse(last).as_object();
  BOOST_REQUIRE(summary.at("status").as_string() == "completed");
  return {std::string(summary.at("parameters_sha256").as_string()), read_file(run / "seed-1/metrics.jsonl"),
          read_file(run / "seed-1/eval.jsonl")};
}

bool has_checkpoint(const fs::path& run) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run / "seed-1/checkpoints", none)) {
    if (entry.path().extension() == ".ckpt") return true;
  }
  return false;
}

/// Kills runs of the algorithm until so many were resumed; none: of a scenario that has no algorithm and no
/// evaluations.
void kill_and_compare(const std::string& algorithm, int kills, const char* experiment = kExperiment) {
  const TemporaryDirectory whole;
  const auto file = whole.write("kill.toml", experiment);
  std::vector<std::string> train{kSpar, "train", file.string(), "--json"};
  if (!algorithm.empty()) train.push_back("algorithm.id=" + algorithm);
  const auto begin = std::chrono::steady_clock::now();
  const auto uninterrupted = run({train, {}, whole.path(), std::chrono::seconds(120)});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Finished expected = finished(uninterrupted, only_run(whole.path()));
  BOOST_TEST(!expected.metrics.empty());
  BOOST_TEST(expected.evaluations.empty() == algorithm.empty());

  std::mt19937_64 random(20261129);
  int resumed = 0;
  for (int attempt = 0; resumed < kills && attempt < 4 * kills; ++attempt) {
    const TemporaryDirectory place;
    Process victim({train, {}, place.path(), std::chrono::seconds(120)});
    const double moment = seconds * std::uniform_real_distribution<double>(0.05, 0.95)(random);
    std::this_thread::sleep_for(std::chrono::duration<double>(moment));
    victim.send(SIGKILL);
    // Too late if it had finished, too early if nothing was saved yet: another moment.
    if (victim.finish().signal != SIGKILL || !fs::exists(place.path() / "runs") ||
        !has_checkpoint(only_run(place.path())))
      continue;

    const auto result = run({{kSpar, "resume", "@last", "--json"}, {}, place.path(), std::chrono::seconds(120)});
    const Finished actual = finished(result, only_run(place.path()));
    BOOST_TEST(actual.parameters == expected.parameters, "killed after " << moment << " s: other parameters");
    BOOST_TEST((actual.metrics == expected.metrics), "killed after " << moment << " s: other metrics.jsonl");
    BOOST_TEST((actual.evaluations == expected.evaluations), "killed after " << moment << " s: other eval.jsonl");
    ++resumed;
  }
  BOOST_TEST(resumed == kills);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(killed_run)

BOOST_AUTO_TEST_CASE(ends_like_an_uninterrupted_one) { kill_and_compare("dqn", std::getenv("SPAR_TEST_ALL") ? 20 : 5); }

// Noise is drawn with each step and each update.
BOOST_AUTO_TEST_CASE(with_noisy_layers_ends_like_an_uninterrupted_one) {
  kill_and_compare("rainbow", std::getenv("SPAR_TEST_ALL") ? 10 : 2);
}

BOOST_AUTO_TEST_CASE(in_the_middle_of_rollouts_ends_like_an_uninterrupted_one) {
  kill_and_compare("ppo", std::getenv("SPAR_TEST_ALL") ? 10 : 2, kOnPolicy);
}

BOOST_AUTO_TEST_CASE(with_parallel_actors_ends_like_an_uninterrupted_one) {
  kill_and_compare("d4pg", std::getenv("SPAR_TEST_ALL") ? 10 : 2, kParallelActors);
}

BOOST_AUTO_TEST_CASE(with_correlated_noise_ends_like_an_uninterrupted_one) {
  for (const char* algorithm : {"ddpg", "d3pg"})
    kill_and_compare(algorithm, std::getenv("SPAR_TEST_ALL") ? 5 : 1, kCorrelatedNoise);
}

BOOST_AUTO_TEST_CASE(with_a_learnt_temperature_ends_like_an_uninterrupted_one) {
  kill_and_compare("sac", std::getenv("SPAR_TEST_ALL") ? 20 : 3, kSac);
}

BOOST_AUTO_TEST_CASE(that_solves_a_game_ends_like_an_uninterrupted_one) {
  for (const char* experiment : {kPsro, kLearnedPsro, kCfr})
    kill_and_compare("", std::getenv("SPAR_TEST_ALL") ? 10 : 2, experiment);
}

BOOST_AUTO_TEST_SUITE_END()
