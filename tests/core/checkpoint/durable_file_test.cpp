#include "core/checkpoint/durable_file.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>

#include "core/base/error.hpp"
#include "core/checkpoint/directory.hpp"
#include "faulty_file_system.hpp"
#include "fixtures.hpp"
#include "forwarding_file_system.hpp"
#include "memory_file_system.hpp"
#include "support/child.hpp"
#include "support/files.hpp"

using namespace spar;
using namespace spar::checkpoint;
using spar::test::in_child;
using spar::test::read_file;

namespace {

constexpr int kSkipped = 77;

/// Writes a good checkpoint, then one that does not fit: 0 if the second fails with `reason`, leaves no temporary and
/// the first intact.
int save_beyond(const std::filesystem::path& place, const std::function<void()>& limit, const char* reason) {
  PosixFileSystem files;
  Directory directory(files, place / "checkpoints");
  directory.prepare();
  directory.write(sample(1'000));
  limit();
  std::string message;
  try {
    directory.write(sample(2'000, 200'000));
  } catch (const Error& error) {
    message = error.what();
  }
  if (message.find(reason) == std::string::npos) return 1;
  std::vector<std::string> names;
  if (files.list(directory.path(), names) != 0 || names.size() != 1) return 2;
  if (!same(directory.newest_valid().checkpoint, sample(1'000))) return 3;
  return same(decode(encode(directory.newest_valid().checkpoint), "a"), sample(1'000)) ? 0 : 4;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(durable_file)

BOOST_AUTO_TEST_CASE(content_is_replaced_as_a_whole) {
  TemporaryDirectory temporary;
  PosixFileSystem files;
  const auto file = temporary.path() / "manifest.json";
  write_durably(files, file, "first", "manifest");
  write_durably(files, file, "second", "manifest");
  BOOST_TEST(read_file(file) == "second");
  write_durably(files, file, "", "manifest");
  BOOST_TEST(read_file(file).empty());
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(temporary.path()), {}) == 1);
}

BOOST_AUTO_TEST_CASE(a_leftover_temporary_is_replaced) {
  TemporaryDirectory temporary;
  PosixFileSystem files;
  std::ofstream(temporary.path() / ".a.tmp") << "left by a killed process";
  write_durably(files, temporary.path() / "a", "new", "file");
  BOOST_TEST(read_file(temporary.path() / "a") == "new");
  BOOST_TEST(!std::filesystem::exists(temporary.path() / ".a.tmp"));
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_reported_with_what_is_needed_and_what_is_free) {
  MemoryFileSystem files;
  files.make_directory("d");
  files.capacity = 5'000;
  BOOST_CHECK_EXCEPTION(write_durably(files, "d/a", std::string(12'345, 'x'), "checkpoint"), Error,
                        [](const Error& error) {
                          return error.code() == "E0504" && !error.help().empty() &&
                                 std::string(error.what()) ==
                                     "cannot write the checkpoint `d/a`: write failed: No space left on device (needs "
                                     "12.3 kB, 0 bytes free)";
                        });
  BOOST_TEST(files.free_space("d") == 5'000);
  BOOST_TEST(files.open_files() == 0u);
}

BOOST_AUTO_TEST_CASE(bytes_that_come_back_different_never_replace_what_was_there) {
  /// Loses one bit of what is written, as a bad cable does.
  class Lossy final : public ForwardingFileSystem {
   public:
    using ForwardingFileSystem::ForwardingFileSystem;
    int64_t write(int descriptor, std::span<const std::byte> bytes) override {
      std::vector<std::byte> changed(bytes.begin(), bytes.end());
      changed[changed.size() / 2] ^= std::byte{1};
      return ForwardingFileSystem::write(descriptor, changed);
    }
  };
  MemoryFileSystem files;
  files.make_directory("d");
  Directory good(files, "d");
  good.write_best(sample(1'000));
  Lossy lossy(files);
  BOOST_CHECK_EXCEPTION(Directory(lossy, "d").write_best(sample(2'000)), Error, [](const Error& error) {
    return std::string(error.what()).find("the bytes on the disk are not those written") != std::string::npos;
  });
  BOOST_TEST(same(good.best(), sample(1'000)));
}

BOOST_AUTO_TEST_CASE(a_directory_without_permission_or_missing_is_named) {
  TemporaryDirectory temporary;
  PosixFileSystem files;
  BOOST_CHECK_EXCEPTION(
      write_durably(files, temporary.path() / "no" / "a", "x", "manifest"), Error, [](const Error& error) {
        return std::string(error.what()).find("open failed: No such file or directory") != std::string::npos;
      });
  FaultyFileSystem faulty(files);
  faulty.arm(2, EACCES);
  BOOST_CHECK_EXCEPTION(write_durably(faulty, temporary.path() / "a", "x", "manifest"), Error,
                        [](const Error& error) { return error.help().find("writable") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(the_limit_of_the_kernel_on_file_size_leaves_the_old_checkpoint) {
  TemporaryDirectory temporary;
  const int status = in_child([&] {
    return save_beyond(
        temporary.path(),
        [] {
          ::signal(SIGXFSZ, SIG_IGN);
          const rlimit limit{100'000, 100'000};
          ::setrlimit(RLIMIT_FSIZE, &limit);
        },
        "write failed: File too large");
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(a_real_full_disk_leaves_the_old_checkpoint) {
  TemporaryDirectory temporary;
  const int status = in_child([&] {
    // A file system of 64 kB in a name space of its own; needs no privileges, but some systems forbid it.
    const std::string user = "0 " + std::to_string(::getuid()) + " 1", group = "0 " + std::to_string(::getgid()) + " 1";
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return kSkipped;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user;
    std::ofstream("/proc/self/gid_map") << group;
    if (::mount("tmpfs", temporary.path().c_str(), "tmpfs", 0, "size=64k") != 0) return kSkipped;
    return save_beyond(
        temporary.path(), [] {}, "write failed: No space left on device (needs 20");
  });
  BOOST_TEST_MESSAGE((status == kSkipped ? "name spaces are not allowed here: skipped" : "ran"));
  BOOST_TEST(status % kSkipped == 0, "status " << status);
}

BOOST_AUTO_TEST_CASE(sizes_are_written_for_people) {
  BOOST_TEST(bytes_text(999) == "999 bytes");
  BOOST_TEST(bytes_text(64'000) == "64.0 kB");
  BOOST_TEST(bytes_text(999'999) == "1.0 MB");
  BOOST_TEST(bytes_text(4'200'000'000) == "4.2 GB");
}

BOOST_AUTO_TEST_SUITE_END()
