#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "host/spar/support.hpp"

namespace {

using spar::test::small_experiment;
using spar::test::Workplace;

/// Runs a shell script in a mount namespace of its own, where ./runs is a small file system.
spar::test::ProcessResult with_small_disk(const Workplace& workplace, const std::string& size,
                                          const std::string& script) {
  auto command = workplace.command({});
  const std::string program = command.words[0];
  command.words = {"unshare", "-rm", "sh", "-c",
                   "mkdir runs && mount -t tmpfs -o size=" + size + " tmpfs runs || exit 99; spar() { " + program +
                       " \"$@\"; }; " + script};
  return run(command);
}

BOOST_AUTO_TEST_SUITE(disk)

BOOST_AUTO_TEST_CASE(a_full_disk_is_told_once_and_leaves_the_older_checkpoint_intact) {
  const Workplace workplace;
  // A checkpoint grows with the replay memory: the first ones fit, later ones do not.
  workplace.directory.write("exp.toml", small_experiment("6_000", "lr = 1e-3\n"));
  const auto result = with_small_disk(workplace, "256k",
                                      "spar train exp.toml algorithm.buffer_size=20_000; echo \"code $?\";"
                                      "ls runs/*/seed-1/checkpoints; spar eval @last --checkpoint last --episodes 2");
  if (result.exit_code == 99 || result.err.find("unshare:") != std::string::npos) {
    BOOST_TEST_MESSAGE("no mount namespaces here: not tested");
    return;
  }
  BOOST_TEST(result.exit_code == 0, result.err);
  BOOST_TEST(result.out.find("code 1\n") != std::string::npos, result.out);
  // What was learnt last is lost, so the run did not complete; the summary says so and it can be resumed.
  BOOST_TEST(result.out.find("failed") != std::string::npos, result.out);
  BOOST_TEST(result.out.find("completed") == std::string::npos, result.out);
  BOOST_TEST(result.out.find(".tmp") == std::string::npos, result.out);
  const std::string told = "; training goes on without new checkpoints\n";
  const size_t first = result.err.find(told);
  BOOST_TEST_REQUIRE(first != std::string::npos, result.err);
  BOOST_TEST(result.err.find(told, first + 1) == std::string::npos, result.err);
  BOOST_TEST(result.err.substr(0, first).find("No space left on device") != std::string::npos, result.err);
  BOOST_TEST(result.err.find("error[E0504]: ") != std::string::npos, result.err);
}

BOOST_AUTO_TEST_CASE(a_run_that_could_save_nothing_is_not_said_to_be_resumable) {
  const Workplace workplace;
  const auto result = with_small_disk(workplace, "256k",
                                      "spar train cartpole-dqn 'stop={any=[{env_steps=200}]}' eval.episodes=1;"
                                      "echo \"code $?\"");
  if (result.exit_code == 99 || result.err.find("unshare:") != std::string::npos) {
    BOOST_TEST_MESSAGE("no mount namespaces here: not tested");
    return;
  }
  BOOST_TEST(result.out.find("code 1\n") != std::string::npos, result.out);
  BOOST_TEST(result.err.find("error[E0504]: ") != std::string::npos, result.err);
  BOOST_TEST(result.err.find("continue with") == std::string::npos, result.err);
}

BOOST_AUTO_TEST_CASE(a_run_that_a_full_disk_cannot_hold_leaves_nothing_and_asks_for_room) {
  const Workplace workplace;
  const auto result = with_small_disk(workplace, "64k",
                                      "cat /dev/zero > runs/fill 2>/dev/null; spar train cartpole-dqn;"
                                      "echo \"code $?\"; ls runs");
  if (result.exit_code == 99 || result.err.find("unshare:") != std::string::npos) {
    BOOST_TEST_MESSAGE("no mount namespaces here: not tested");
    return;
  }
  BOOST_TEST(result.out == "code 1\nfill\n");
  BOOST_TEST(result.err.find("cannot be locked: No space left on device\n"
                             "   = free some room on its disk, or work on another one (-C)\n") != std::string::npos,
             result.err);
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_written_is_named) {
  if (::geteuid() == 0) {
    const Workplace workplace;
    workplace.directory.write("runs", "a file where the runs should be\n");
    const auto result = workplace.spar({"train", "cartpole-dqn"});
    BOOST_TEST(result.exit_code == 1);
    BOOST_TEST(result.err.starts_with("error[E0"), result.err);
    BOOST_TEST(result.err.find("`runs`") != std::string::npos, result.err);
    return;
  }
  const Workplace workplace;
  std::filesystem::permissions(workplace.directory.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const auto result = workplace.spar({"train", "cartpole-dqn"});
  std::filesystem::permissions(workplace.directory.path(), std::filesystem::perms::owner_all);
  BOOST_TEST(result.exit_code == 1);
  BOOST_TEST(result.err.find("runs") != std::string::npos, result.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
