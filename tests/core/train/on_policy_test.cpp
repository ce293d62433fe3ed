// On-policy training with several copies: phases, and exact resume in the middle of a rollout.
#include <boost/test/unit_test.hpp>
#include <random>

#include "support/training_run.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Rollouts end in the middle of episodes, and episodes in the middle of rollouts. Every save is a moment at which the
/// run can be interrupted.
std::string experiment(const std::string& environment, const std::string& more) {
  return "name = \"on-policy\"\n[env]\nid = \"" + environment +
         "\"\ncount = 3\n[algorithm]\nid = \"ppo\"\nhidden_layers = [16]\nrollout_length = 20\nbatch_size = 25\n"
         "num_epochs = 2\nactor_number_updates = 2\ncritic_number_updates = 2\nlr_schedule = \"linear\"\n" +
         more + "\n[stop]\nany = [{ env_steps = 650 }]\n[eval]\nevery = 300\nepisodes = 3\n[checkpoint]\nevery = 25\n";
}

struct Variant {
  const char *environment, *more;
};
constexpr Variant kRollouts[] = {{"CartPole-v1", "state_transform = \"normalise\"\nreward_transform = \"normalise\""},
                                 {"Pendulum-v1", "using_kl_div = true\ntarget_kl = 0.01\nvalue_clip = 0.5"},
                                 {"probe/masked", "shared_trunk = true"},
                                 {"simple_spread_v3",
                                  "state_transform = \"normalise\"\n[strategy]\nid = "
                                  "\"team\"\nmode = \"central_critic\""}};

struct StopAtCall : train::Observer {
  train::Interruption interruption() override {
    return ++calls == at ? train::Interruption::save_and_stop : train::Interruption::none;
  }
  uint64_t at = 0, calls = 0;
};

/// Goes on until the end or until call `at` of interruption(); 0 = never.
train::LoopResult go_on(TrainingRun& run, uint64_t at = 0) {
  checkpoint::PosixFileSystem files;
  checkpoint::Writer writer(checkpoint::Directory(files, run.directory() / "checkpoints"));
  train::Recorder recorder(run.directory());
  StopAtCall observer;
  observer.at = at;
  return train::run_loop(run.training(), recorder, writer, "{}", observer);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(on_policy)

BOOST_AUTO_TEST_CASE(phase_has_rollout_length_steps_of_every_copy) {
  for (const Variant& variant : kRollouts) {
    TrainingRun run(experiment(variant.environment, variant.more));
    run.training().start();
    BOOST_TEST((go_on(run).ending == train::Ending::completed));
    BOOST_TEST(run.training().counters.env_steps == 650u);
    BOOST_TEST(run.training().counters.updates == 10 * run.training().learners.size());  // of 60 transitions each
    BOOST_TEST(run.training().learners.front()->buffer_rows() == 50u);
  }
}

BOOST_AUTO_TEST_CASE(run_resumed_in_the_middle_of_a_rollout_ends_like_one_that_was_not_interrupted) {
  std::mt19937_64 random(23);
  for (const Variant& variant : kRollouts) {
    const std::string source = experiment(variant.environment, variant.more);
    TrainingRun whole(source);
    whole.training().start();
    go_on(whole);
    int in_the_middle = 0;
    for (int i = 0; i < 4; ++i) {
      const uint64_t at = 2 + random() % 25;
      TrainingRun first(source);
      first.training().start();
      BOOST_REQUIRE((go_on(first, at).ending == train::Ending::stopped));
      in_the_middle += first.training().learners.front()->buffer_rows() % 60 != 0;

      checkpoint::PosixFileSystem files;
      const auto saved = checkpoint::Directory(files, first.directory() / "checkpoints").newest_valid().checkpoint;
      TrainingRun second(source);
      second.training().restore(saved);
      BOOST_TEST(second.training().learners.front()->buffer_rows() == first.training().learners.front()->buffer_rows());
      go_on(second);
      BOOST_TEST(second.training().parameters_sha256() == whole.training().parameters_sha256(),
                 variant.environment << ", interrupted at call " << at);
      BOOST_TEST(second.training().last_returns == whole.training().last_returns, boost::test_tools::per_element());
      BOOST_TEST(second.training().counters.episodes == whole.training().counters.episodes);
    }
    BOOST_TEST(in_the_middle >= 2);
  }
}

BOOST_AUTO_TEST_SUITE_END()
