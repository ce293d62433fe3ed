#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "core/base/error.hpp"
#include "core/checkpoint/directory.hpp"
#include "core/checkpoint/durable_file.hpp"
#include "core/checkpoint/writer.hpp"
#include "faulty_file_system.hpp"
#include "fixtures.hpp"
#include "memory_file_system.hpp"
#include "support/sanitized.hpp"

using namespace spar;
using namespace spar::checkpoint;

namespace {

using Fault = FaultyFileSystem::Fault;

/// Which unsynchronised writes survive a cut is drawn so often.
constexpr int kVariants = test::kSanitized ? 5 : 40;

/// Saves step 3000 (numbered and best) beside 1000 and 2000 with the k-th call failing, for every k, and checks what is
/// left. Returns the number of cases.
int fail_every_call(FileSystem& files, const FileSystem::Path& place, int number, bool for_ever, Fault kind) {
  const Checkpoint first = sample(1'000), second = sample(2'000), third = sample(3'000), fourth = sample(4'000);
  int cases = 0;
  for (int k = 1;; ++k) {
    FaultyFileSystem faulty(files);
    Directory directory(faulty,
                        place / (std::to_string(number) + (for_ever ? "-ever-" : "-once-") + std::to_string(k)));
    directory.prepare();
    directory.write(first);
    directory.write(second);
    directory.write_best(first);

    faulty.arm(k, number, for_ever, kind);
    bool saved = true;
    try {
      directory.write(third);
      directory.write_best(third);
    } catch (const Error& error) {
      saved = false;
      BOOST_TEST(error.code() == "E0504");
      const bool named = std::string(error.what()).find("failed: ") != std::string::npos;
      BOOST_TEST(named, error.what());
    }
    const bool reached = faulty.calls >= k;
    faulty.disarm();
    BOOST_TEST(faulty.repeated_syncs == 0);

    const Loaded loaded = directory.newest_valid();
    const bool intact = same(loaded.checkpoint, second) || same(loaded.checkpoint, third);
    BOOST_TEST(intact, "call " << k << " (" << faulty.failed << ")");
    BOOST_TEST(loaded.refused.empty());
    if (saved) BOOST_TEST(same(loaded.checkpoint, third));
    const Checkpoint best = directory.best();
    BOOST_TEST((same(best, first) || same(best, third)));
    // Only where deleting failed as well does a temporary stay; the next start sweeps it.
    std::vector<std::string> names;
    files.list(directory.path(), names);
    const auto left = std::count_if(names.begin(), names.end(), [](const auto& name) { return is_temporary(name); });
    BOOST_TEST(left <= (for_ever ? 1 : 0), "call " << k << " (" << faulty.failed << ")");

    // Training goes on: the next save works on the same directory.
    directory.write(fourth);
    BOOST_TEST(same(directory.newest_valid().checkpoint, fourth));
    directory.prepare();
    files.list(directory.path(), names);
    BOOST_TEST(std::none_of(names.begin(), names.end(), [](const auto& name) { return is_temporary(name); }));
    if (!reached) return cases;
    ++cases;
  }
}

int fail_in_every_way(FileSystem& files, const FileSystem::Path& place) {
  int cases = 0;
  for (const int number : {EIO, ENOSPC}) {
    cases += fail_every_call(files, place, number, false, Fault::error);
    cases += fail_every_call(files, place, number, true, Fault::error);
  }
  cases += fail_every_call(files, place, EINTR, false, Fault::error);
  cases += fail_every_call(files, place, 0, false, Fault::short_write);
  cases += fail_every_call(files, place, 0, true, Fault::short_write);
  return cases;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(faults)

BOOST_AUTO_TEST_CASE(no_failing_call_harms_what_was_saved_before) {
  MemoryFileSystem files;
  files.make_directory("runs");
  const int cases = fail_in_every_way(files, "runs");
  BOOST_TEST_MESSAGE(cases << " cases");
  BOOST_TEST(cases >= 250);
  BOOST_TEST(files.open_files() == 0u);
}

// Sanitizers see the same calls in memory.
BOOST_AUTO_TEST_CASE(no_failing_call_harms_what_was_saved_before_on_a_real_disk,
                     *boost::unit_test::enable_if<!test::kSanitized>()) {
  TemporaryDirectory temporary;
  PosixFileSystem files;
  const int cases = fail_in_every_way(files, temporary.path());
  BOOST_TEST(cases >= 250);
}

BOOST_AUTO_TEST_CASE(disks_of_every_size_hold_the_old_checkpoint_or_the_new_one) {
  for (size_t spare = 0; spare < 10'000; spare += 500) {
    MemoryFileSystem files;
    files.make_directory("d");
    Directory directory(files, "d");
    directory.write(sample(1'000));
    files.capacity -= static_cast<size_t>(files.free_space("d")) - spare;
    bool saved = true;
    try {
      directory.write(sample(2'000));
    } catch (const Error&) {
      saved = false;
    }
    BOOST_TEST(saved == (spare >= encode(sample(2'000)).size()));
    BOOST_TEST(same(directory.newest_valid().checkpoint, sample(saved ? 2'000 : 1'000)));
  }
}

// The beginning of a run: who finds the last file finds all of them, whole.
BOOST_AUTO_TEST_CASE(power_lost_while_several_files_are_written_leaves_whole_ones) {
  Philox random(12, "power");
  const std::vector<NamedText> texts = {{"experiment.toml", std::string(3'000, 'e')},
                                        {"resolved.toml", std::string(5'000, 'r')},
                                        {"manifest.json", "{}"}};
  int saw_none = 0, saw_all = 0;
  for (int k = 1;; ++k) {
    bool reached = true;
    for (int variant = 0; variant < kVariants; ++variant) {
      MemoryFileSystem files;
      files.make_directory("d");
      FaultyFileSystem faulty(files);
      faulty.arm(k, 0, false, Fault::power);
      reached = false;
      try {
        write_durably(faulty, "d", texts, "file");
      } catch (const PowerLost&) {
        reached = true;
      }
      files.lose_power(random);
      size_t there = 0;
      for (const NamedText& each : texts) {
        std::vector<std::string> names;
        files.list("d", names);
        if (std::find(names.begin(), names.end(), each.name) == names.end()) continue;
        ++there;
        const auto& content = files.content(FileSystem::Path("d") / each.name);
        BOOST_TEST_REQUIRE((std::string(reinterpret_cast<const char*>(content.data()), content.size()) == each.text));
      }
      if (!reached) BOOST_TEST_REQUIRE(there == texts.size());
      saw_none += there == 0, saw_all += there == texts.size();
    }
    if (!reached) break;
  }
  BOOST_TEST(saw_none > kVariants);
  BOOST_TEST(saw_all >= kVariants);
}

BOOST_AUTO_TEST_CASE(a_failing_call_among_several_files_names_one_and_leaves_no_temporary) {
  const std::vector<NamedText> texts = {{"a", "first"}, {"b", "second"}, {"manifest.json", "{}"}};
  int cases = 0;
  for (int k = 1;; ++k, ++cases) {
    MemoryFileSystem files;
    files.make_directory("d");
    FaultyFileSystem faulty(files);
    faulty.arm(k, EIO, false, Fault::error);
    bool saved = true;
    try {
      write_durably(faulty, "d", texts, "file");
    } catch (const Error& error) {
      saved = false;
      BOOST_TEST(error.code() == "E0504");
    }
    std::vector<std::string> names;
    files.list("d", names);
    BOOST_TEST(std::none_of(names.begin(), names.end(), [](const auto& name) { return is_temporary(name); }));
    if (saved) BOOST_TEST(names.size() == texts.size());
    if (faulty.calls < k) break;
  }
  BOOST_TEST(cases >= 20);
}

BOOST_AUTO_TEST_CASE(power_lost_between_any_two_calls_leaves_the_old_state_or_the_new_one) {
  Philox random(11, "power");
  const Checkpoint old = sample(1'000), fresh = sample(2'000);
  int cuts = 0, saw_old = 0, saw_new = 0;
  for (int k = 1;; ++k) {
    bool reached = true;
    for (int variant = 0; variant < kVariants; ++variant) {
      MemoryFileSystem files;
      files.make_directory("d");
      FaultyFileSystem faulty(files);
      Directory directory(faulty, "d", 1);
      directory.write(old);
      directory.write_best(old);
      faulty.arm(k, 0, false, Fault::power);
      reached = false;
      try {
        directory.write(fresh);
        directory.write_best(fresh);
      } catch (const PowerLost&) {
        reached = true;
      }
      files.lose_power(random);

      Directory after(files, "d", 1);
      after.prepare();
      const Loaded loaded = after.newest_valid();
      const bool old_one = same(loaded.checkpoint, old), new_one = same(loaded.checkpoint, fresh);
      BOOST_TEST_REQUIRE((old_one || new_one), "cut before call " << k << " (" << faulty.failed << ")");
      BOOST_TEST_REQUIRE((same(after.best(), old) || same(after.best(), fresh)));
      BOOST_TEST_REQUIRE(loaded.refused.empty());
      if (!reached) BOOST_TEST_REQUIRE((new_one && same(after.best(), fresh)));
      saw_old += old_one, saw_new += new_one, ++cuts;
      std::vector<std::string> names;
      files.list("d", names);
      for (const std::string& name : names) BOOST_TEST_REQUIRE(!is_temporary(name));
    }
    if (!reached) break;
  }
  BOOST_TEST_MESSAGE(cuts << " cut points");
  BOOST_TEST(cuts >= 12 * kVariants);
  BOOST_TEST(saw_old > 2 * kVariants);
  BOOST_TEST(saw_new > 2 * kVariants);
}

BOOST_AUTO_TEST_CASE(killed_processes_leave_a_checkpoint_at_least_as_new_as_the_last_one_reported) {
  TemporaryDirectory temporary;
  PosixFileSystem files;
  Philox random(13, "kill");
  uint64_t reported = 0;
  for (int kill = 0; kill < 25; ++kill) {
    int ends[2];
    BOOST_TEST_REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      // Goes on from where the last one was killed, and tells each step that is safe.
      Writer writer(Directory(files, temporary.path() / "checkpoints"));
      uint64_t step = writer.directory().steps().empty() ? 0 : writer.directory().newest_valid().checkpoint.step;
      while (true) {
        ++step;
        writer.write_now(step, sample(step, 20'000), step % 3 == 0);
        if (::write(ends[1], &step, sizeof step) != sizeof step) ::_exit(1);
      }
    }
    // The first save is waited for; then the kill comes at any moment of the next few.
    BOOST_TEST_REQUIRE(::read(ends[0], &reported, sizeof reported) == ssize_t{sizeof reported});
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(20'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[1]);
    while (::read(ends[0], &reported, sizeof reported) == ssize_t{sizeof reported}) continue;
    ::close(ends[0]);

    const Loaded loaded = Directory(files, temporary.path() / "checkpoints").newest_valid();
    BOOST_TEST(loaded.checkpoint.step >= reported);
    BOOST_TEST(loaded.refused.empty());
    BOOST_TEST(same(loaded.checkpoint, sample(loaded.checkpoint.step, 20'000)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
