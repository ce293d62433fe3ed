#include "core/plugin/child.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support.hpp"

using namespace spar::plugin;
using namespace spar::plugin::test;
using namespace std::chrono_literals;

namespace {

ChildResult shell(const std::string& script, std::chrono::milliseconds limit = 10s, size_t most = 1 << 20) {
  return run_child("/bin/sh", {"-c", script}, limit, most);
}

size_t open_descriptors() {
  return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(child)

BOOST_AUTO_TEST_CASE(output_errors_and_exit_code_are_returned) {
  const auto result = shell("echo out; echo err >&2; exit 5");
  BOOST_TEST(result.output == "out\n");
  BOOST_TEST(result.errors == "err\n");
  BOOST_TEST(result.exit_code == 5);
  BOOST_TEST(result.signal == 0);
  BOOST_TEST(!result.timed_out);
}

BOOST_AUTO_TEST_CASE(signal_is_returned) {
  const auto result = shell("kill -SEGV $$");
  BOOST_TEST(result.signal == SIGSEGV);
  BOOST_TEST(result.exit_code == -1);
}

BOOST_AUTO_TEST_CASE(child_that_hangs_is_killed_with_its_children) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = shell("sleep 60 & echo $!; wait", 300ms);
  const auto elapsed = std::chrono::steady_clock::now() - start;
  BOOST_TEST(result.timed_out);
  BOOST_TEST(result.signal == SIGKILL);
  BOOST_TEST((elapsed >= 300ms && elapsed < 5s));
  const pid_t grandchild = std::stoi(result.output);
  for (int i = 0; i < 500 && ::kill(grandchild, 0) == 0; ++i) {
    // It may wait for its new parent as a zombie.
    const std::string stat = read_file("/proc/" + std::to_string(grandchild) + "/stat");
    if (stat.find(") Z ") != std::string::npos) break;
    ::usleep(10'000);
    BOOST_REQUIRE(i < 499);
  }
}

BOOST_AUTO_TEST_CASE(child_that_closes_its_output_is_still_waited_for) {
  const auto result = shell("exec >&- 2>&-; sleep 0.1; exit 4");
  BOOST_TEST(result.exit_code == 4);
}

BOOST_AUTO_TEST_CASE(grandchild_that_keeps_the_pipe_does_not_delay_the_answer) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = shell("sleep 30 & echo done", 20s);
  BOOST_TEST((std::chrono::steady_clock::now() - start < 10s));
  BOOST_TEST(result.output == "done\n");
  BOOST_TEST(result.exit_code == 0);
}

BOOST_AUTO_TEST_CASE(flood_on_standard_output_is_cut_and_ends_the_child) {
  const auto result = shell("yes", 10s, 10'000);
  BOOST_TEST(result.too_much);
  BOOST_TEST(!result.timed_out);
  BOOST_TEST(result.output.size() == 10'000u);
}

BOOST_AUTO_TEST_CASE(flood_on_standard_error_is_dropped_and_bounded_in_time) {
  const auto result = shell("yes >&2", 300ms);
  BOOST_TEST(result.timed_out);
  BOOST_TEST(result.errors.size() == 4096u);
}

BOOST_AUTO_TEST_CASE(program_that_cannot_be_started_is_said) {
  BOOST_TEST(run_child("/nonexistent/worker", {}, 1s, 100).not_started == "No such file or directory");
}

BOOST_AUTO_TEST_CASE(child_gets_no_descriptor_of_ours_and_none_is_left_behind) {
  const Descriptor ours(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  const size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    const auto result = shell("for f in /proc/self/fd/*; do test -e $f && echo ${f##*/}; done; read x; echo in=$x");
    BOOST_TEST(result.output.find("\n" + std::to_string(ours.get()) + "\n") == std::string::npos);
    BOOST_TEST(result.output.ends_with("in=\n"));
  }
  BOOST_TEST(open_descriptors() == before);
}

BOOST_AUTO_TEST_SUITE_END()
