#include "core/checkpoint/writer.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>

#include "fixtures.hpp"
#include "forwarding_file_system.hpp"
#include "memory_file_system.hpp"

using namespace spar;
using namespace spar::checkpoint;
using namespace std::chrono_literals;

namespace {

/// Holds the writer in fsync until opened; can fail there.
class Gate final : public ForwardingFileSystem {
 public:
  Gate() : ForwardingFileSystem(files) {}
  int fsync(int descriptor) override {
    threads.push_back(std::this_thread::get_id());
    ++waiting;
    closed.wait(true);
    --waiting;
    if (throws) throw std::runtime_error("no memory for the page");
    return result < 0 ? result.load() : files.fsync(descriptor);
  }

  void shut() { closed = true; }
  void open_up() {
    closed = false;
    closed.notify_all();
  }
  void wait_for_writer() const {
    while (waiting == 0) std::this_thread::sleep_for(1ms);
  }

  MemoryFileSystem files;
  std::atomic<bool> closed = false, throws = false;
  std::atomic<int> result = 0, waiting = 0;
  std::vector<std::thread::id> threads;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(checkpoint_writer)

BOOST_AUTO_TEST_CASE(what_is_submitted_is_on_the_disk_after_flush) {
  TemporaryDirectory temporary;
  PosixFileSystem files;
  Writer writer(Directory(files, temporary.path() / "checkpoints"));
  for (const uint64_t step : {1'000, 2'000, 3'000}) writer.submit(step, sample(step), step == 2'000);
  writer.flush();
  BOOST_TEST(same(writer.directory().newest_valid().checkpoint, sample(3'000)));
  BOOST_TEST(same(writer.directory().best(), sample(2'000)));
  const auto outcomes = writer.poll();
  BOOST_TEST_REQUIRE(outcomes.size() == 3u);
  BOOST_TEST(outcomes[1].step == 2'000u);
  BOOST_TEST(outcomes[1].best);
  BOOST_TEST(outcomes[2].bytes == encode(sample(3'000)).size());
  BOOST_TEST(outcomes[2].file == temporary.path() / "checkpoints" / "000003000.ckpt");
  BOOST_TEST(!outcomes[2].error.has_value());
  BOOST_TEST(writer.poll().empty());
}

BOOST_AUTO_TEST_CASE(submit_sets_the_step) {
  Gate gate;
  Writer writer(Directory(gate, "d"));
  writer.submit(7, sample(1'000));
  writer.flush();
  BOOST_TEST(writer.directory().newest_valid().checkpoint.step == 7u);
}

BOOST_AUTO_TEST_CASE(one_may_wait_and_the_next_one_blocks) {
  Gate gate;
  Writer writer(Directory(gate, "d", 5));
  gate.shut();
  writer.submit(1, sample(1));
  gate.wait_for_writer();
  writer.submit(2, sample(2));
  auto third = std::async(std::launch::async, [&] { writer.submit(3, sample(3)); });
  BOOST_TEST((third.wait_for(50ms) == std::future_status::timeout));
  BOOST_TEST(writer.poll().empty());
  gate.open_up();
  third.get();
  writer.flush();
  BOOST_TEST(writer.directory().steps() == (std::vector<uint64_t>{1, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_thread_writes_everything_and_it_is_not_the_callers) {
  Gate gate;
  Writer writer(Directory(gate, "d"));
  for (uint64_t step = 1; step < 6; ++step) writer.submit(step, sample(step), true);
  writer.write_now(6, sample(6));
  BOOST_TEST(gate.threads.size() == 11u);
  for (const auto id : gate.threads) BOOST_TEST((id == gate.threads[0] && id != std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(an_error_is_delivered_by_poll_and_the_next_save_works) {
  Gate gate;
  Writer writer(Directory(gate, "d"));
  writer.submit(1, sample(1));
  writer.flush();
  gate.result = -EIO;
  writer.submit(2, sample(2));
  writer.flush();
  gate.result = 0;
  writer.submit(3, sample(3));
  writer.flush();
  const auto outcomes = writer.poll();
  BOOST_TEST_REQUIRE(outcomes.size() == 3u);
  BOOST_TEST_REQUIRE(outcomes[1].error.has_value());
  BOOST_TEST(outcomes[1].error->code() == "E0504");
  BOOST_TEST(std::string(outcomes[1].error->what()) ==
             "cannot write the checkpoint `d/000000002.ckpt`: fsync failed: Input/output error");
  BOOST_TEST(writer.directory().steps() == (std::vector<uint64_t>{1, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(whatever_is_thrown_in_the_thread_comes_back_as_an_error) {
  Gate gate;
  Writer writer(Directory(gate, "d"));
  gate.throws = true;
  writer.submit(1, sample(1));
  writer.flush();
  const auto outcomes = writer.poll();
  BOOST_TEST_REQUIRE((outcomes.size() == 1 && outcomes[0].error));
  BOOST_TEST(std::string(outcomes[0].error->what()) == "cannot write the checkpoint of step 1: no memory for the page");
}

BOOST_AUTO_TEST_CASE(write_now_throws_its_own_error_and_keeps_the_others) {
  Gate gate;
  Writer writer(Directory(gate, "d"));
  BOOST_TEST(writer.write_now(1, sample(1)).file == "d/000000001.ckpt");
  BOOST_TEST(writer.poll().empty());
  gate.result = -EIO;
  writer.submit(2, sample(2));
  BOOST_CHECK_EXCEPTION(writer.write_now(3, sample(3)), Error, [](const Error& error) {
    return std::string(error.what()).find("000000003.ckpt") != std::string::npos;
  });
  const auto outcomes = writer.poll();
  BOOST_TEST_REQUIRE(outcomes.size() == 1u);
  BOOST_TEST(outcomes[0].step == 2u);
}

BOOST_AUTO_TEST_CASE(the_end_of_the_writer_waits_for_what_was_submitted) {
  Gate gate;
  gate.files.make_directory("d");
  {
    Writer writer(Directory(gate, "d"));
    gate.shut();
    writer.submit(1, sample(1));
    gate.wait_for_writer();
    writer.submit(2, sample(2));
    gate.open_up();
  }
  BOOST_TEST(same(Directory(gate, "d").newest_valid().checkpoint, sample(2)));
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_made_is_an_error_at_once) {
  PosixFileSystem files;
  BOOST_CHECK_THROW(Writer(Directory(files, "/dev/null/checkpoints")), Error);
}

BOOST_AUTO_TEST_SUITE_END()
