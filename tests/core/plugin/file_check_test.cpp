#include "core/plugin/file_check.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <boost/test/unit_test.hpp>

#include "support.hpp"

using namespace spar::plugin;
using namespace spar::plugin::test;

namespace {

std::string file_reason(const fs::path& file) {
  const auto result = open_trusted(file);
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal ? refusal->reason : "usable";
}

std::string directory_reason(const fs::path& directory) {
  const auto refusal = distrust_directory(directory);
  return refusal ? refusal->reason : "trusted";
}

bool is_root() { return ::geteuid() == 0; }

}  // namespace

BOOST_AUTO_TEST_SUITE(file_check)

BOOST_AUTO_TEST_CASE(regular_file_of_the_user_is_opened_with_its_key) {
  const Directory directory;
  const fs::path file = directory.write("a.spar.so", "12345");
  auto result = open_trusted(file);
  BOOST_REQUIRE(std::holds_alternative<OpenFile>(result));
  const auto& open = std::get<OpenFile>(result);
  struct stat info {};
  BOOST_REQUIRE(::stat(file.c_str(), &info) == 0);
  BOOST_TEST(open.key.size == 5u);
  BOOST_TEST(open.key.inode == info.st_ino);
  BOOST_TEST(open.key.mtime_ns == info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec);
  BOOST_TEST((::fcntl(open.descriptor.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

BOOST_AUTO_TEST_CASE(what_is_not_a_regular_file_is_refused_without_waiting) {
  const Directory directory;
  fs::create_directory(directory / "directory.spar.so");
  BOOST_TEST(file_reason(directory / "directory.spar.so") == "is a directory");
  BOOST_REQUIRE(::mkfifo((directory / "fifo.spar.so").c_str(), 0644) == 0);
  BOOST_TEST(file_reason(directory / "fifo.spar.so") == "is a FIFO");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const Descriptor owner(fd);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (directory / "socket.spar.so").string().copy(address.sun_path, sizeof address.sun_path - 1);
  BOOST_REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  BOOST_TEST(file_reason(directory / "socket.spar.so") == "is a socket or a device");
  BOOST_TEST(file_reason("/dev/null") == "is a device");
  BOOST_TEST(file_reason(directory / "absent.spar.so") == "cannot be opened (No such file or directory)");
}

BOOST_AUTO_TEST_CASE(symbolic_links_are_refused) {
  const Directory directory, outside;
  const fs::path target = outside.write("b.spar.so", "x");
  fs::create_symlink(target, directory / "out.spar.so");
  fs::create_symlink(directory / "nowhere", directory / "dangling.spar.so");
  fs::create_symlink(directory / "loop.spar.so", directory / "loop.spar.so");
  for (const char* name : {"out.spar.so", "dangling.spar.so", "loop.spar.so"})
    BOOST_TEST(file_reason(directory / name) == "is a symbolic link");
}

BOOST_AUTO_TEST_CASE(files_that_others_may_change_are_refused) {
  const Directory directory;
  const fs::path file = directory.write("a.spar.so", "x");
  BOOST_REQUIRE(::chmod(file.c_str(), 0646) == 0);
  BOOST_TEST(file_reason(file) == "is writable by everybody");
  BOOST_REQUIRE(::chmod(file.c_str(), 0664) == 0);
  BOOST_TEST(file_reason(file) == "is writable by its group");
  auto result = open_trusted(file);
  BOOST_TEST(std::get<Refusal>(result).remedy == "chmod go-w " + file.string());
  BOOST_REQUIRE(::chmod(file.c_str(), 04755) == 0);
  BOOST_TEST(file_reason(file) == "has a set-user-id or set-group-id bit");
  BOOST_REQUIRE(::chmod(file.c_str(), 0755) == 0);
  BOOST_TEST(file_reason(file) == "usable");
}

BOOST_AUTO_TEST_CASE(files_and_directories_of_other_users_are_refused, *boost::unit_test::precondition([](auto) {
                       return boost::test_tools::assertion_result(is_root());
                     })) {
  const Directory directory;
  const fs::path file = directory.write("a.spar.so", "x");
  BOOST_REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
  BOOST_TEST(file_reason(file) == "belongs to user 65534, neither root nor you");
  fs::create_directory(directory / "theirs");
  BOOST_REQUIRE(::chown((directory / "theirs").c_str(), 65534, 65534) == 0);
  BOOST_TEST(directory_reason(directory / "theirs") ==
             "directory `" + (directory / "theirs").string() + "` belongs to user 65534, neither root nor you");
}

BOOST_AUTO_TEST_CASE(directories_that_others_may_change_are_refused_with_all_their_children) {
  const Directory directory;
  fs::create_directories(directory / "open/inner");
  BOOST_TEST(directory_reason(directory / "open/inner") == "trusted");
  BOOST_REQUIRE(::chmod((directory / "open").c_str(), 0777) == 0);
  const std::string expected = "directory `" + (directory / "open").string() + "` is writable by everybody";
  BOOST_TEST(directory_reason(directory / "open") == expected);
  BOOST_TEST(directory_reason(directory / "open/inner") == expected);
  BOOST_REQUIRE(::chmod((directory / "open").c_str(), 0775) == 0);
  BOOST_TEST(directory_reason(directory / "open/inner") ==
             "directory `" + (directory / "open").string() + "` is writable by its group");
}

BOOST_AUTO_TEST_CASE(sticky_directory_of_root_is_trusted, *boost::unit_test::precondition([](auto) {
                       return boost::test_tools::assertion_result(is_root());
                     })) {
  const Directory directory;
  fs::create_directories(directory / "sticky/inner");
  BOOST_REQUIRE(::chmod((directory / "sticky").c_str(), 01777) == 0);
  BOOST_TEST(directory_reason(directory / "sticky/inner") == "trusted");
}

BOOST_AUTO_TEST_CASE(link_to_an_open_directory_is_refused) {
  const Directory directory, outside;
  fs::create_directories(outside / "open/inner");
  BOOST_REQUIRE(::chmod((outside / "open").c_str(), 0777) == 0);
  fs::create_symlink(outside / "open/inner", directory / "link");
  BOOST_TEST(directory_reason(directory / "link") ==
             "directory `" + (outside / "open").string() + "` is writable by everybody");
}

BOOST_AUTO_TEST_CASE(file_in_place_of_a_directory_is_refused) {
  const Directory directory;
  const fs::path file = directory.write("plugins", "x");
  BOOST_TEST(directory_reason(file) == "`" + file.string() + "` is not a directory");
  BOOST_TEST(directory_reason(directory / "absent") ==
             "directory `" + (directory / "absent").string() + "` cannot be examined (No such file or directory)");
}

BOOST_AUTO_TEST_SUITE_END()
