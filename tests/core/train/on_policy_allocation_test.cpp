// Counts every operator new of this program, so it is one of its own.
#include <boost/test/unit_test.hpp>

#include "support/counting_new.hpp"
#include "support/training_run.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr uint64_t kWarm = 2'000, kEnd = 4'900;  // the first metrics line is written at 5,000

/// Looks at the count when the loop is warm, and at the end.
struct Watcher : train::Observer {
  explicit Watcher(const train::Training& watched) : training(watched) {}
  train::Interruption interruption() override {
    const uint64_t steps = training.counters.env_steps;
    if (before == 0 && steps >= kWarm) {
      before = allocations;
      updates = training.counters.updates;
    }
    if (steps < kEnd) return train::Interruption::none;
    after = allocations;
    updates = training.counters.updates - updates;
    return train::Interruption::abandon;
  }
  const train::Training& training;
  uint64_t before = 0, after = 0, updates = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(on_policy_allocation)

BOOST_AUTO_TEST_CASE(nothing_is_allocated_while_collecting_and_learning) {
  for (const char* environment : {"CartPole-v1", "Pendulum-v1", "probe/masked"}) {
    TrainingRun run(
        std::string("name = \"allocation\"\n[env]\nid = \"") + environment +
        "\"\ncount = 4\n[algorithm]\nid = \"ppo\"\nhidden_layers = [32]\nrollout_length = 32\nbatch_size = 48\n"
        "state_transform = \"normalise\"\nreward_transform = \"normalise\"\n"
        "[stop]\nany = [{ env_steps = 1_000_000 }]\n[eval]\nevery = 500_000\n");
    train::Training& training = run.training();
    Watcher watcher(training);
    checkpoint::PosixFileSystem files;
    checkpoint::Writer writer(checkpoint::Directory(files, run.directory() / "checkpoints"));
    train::Recorder recorder(run.directory());
    training.start();
    train::run_loop(training, recorder, writer, "{}", watcher);
    BOOST_TEST(watcher.updates >= 20u);
    BOOST_TEST(watcher.after - watcher.before == 0u,
               environment << ": " << watcher.after - watcher.before << " allocations");
  }
}

BOOST_AUTO_TEST_SUITE_END()
