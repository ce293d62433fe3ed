#include "core/run/lock.hpp"

#include <signal.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <vector>

#include "fixtures.hpp"

using namespace spar;
using namespace spar::run;

namespace {

struct OneLock {
  TemporaryDirectory temporary;
  std::filesystem::path file = temporary.path() / "lock";
};

/// A pipe between this process and its children.
struct Pipe {
  Pipe() { BOOST_TEST_REQUIRE(::pipe(ends.data()) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  void send(char value) const { BOOST_TEST_REQUIRE(::write(ends[1], &value, 1) == 1); }
  char receive() const {
    char value = 0;
    BOOST_TEST_REQUIRE(::read(ends[0], &value, 1) == 1);
    return value;
  }
  std::array<int, 2> ends{};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(run_lock, OneLock)

BOOST_AUTO_TEST_CASE(file_holds_the_owner_while_it_is_locked) {
  BOOST_TEST(!is_locked(file));
  {
    const Lock lock(file);
    BOOST_TEST(text_of(file) == std::to_string(::getpid()) + "\n");
    BOOST_TEST(is_locked(file));
  }
  BOOST_TEST(!is_locked(file));
  BOOST_TEST(text_of(file).empty());
}

BOOST_AUTO_TEST_CASE(lock_moves_with_its_object) {
  Lock first(file);
  Lock second(std::move(first));
  BOOST_TEST(is_locked(file));
  Lock third(temporary.path() / "other");
  third = std::move(second);
  BOOST_TEST(is_locked(file));
}

BOOST_AUTO_TEST_CASE(loser_names_the_winner_within_100_ms) {
  const Lock lock(file);
  const pid_t parent = ::getpid();
  const int status = in_child([&] {
    const auto begin = std::chrono::steady_clock::now();
    try {
      const Lock second(file);
    } catch (const Error& error) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(100)) return 1;
      const std::string expected =
          "run `" + temporary.path().string() + "` is in use by process " + std::to_string(parent);
      return error.code() == "E0605" && error.what() == expected ? 0 : 2;
    }
    return 3;
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(lock_of_a_killed_process_is_free) {
  const Pipe ready;
  const pid_t child = ::fork();
  if (child == 0) {
    const Lock lock(file);
    const char one = 1;
    if (::write(ready.ends[1], &one, 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  ready.receive();
  BOOST_TEST(is_locked(file));
  BOOST_CHECK_EXCEPTION(Lock{file}, Error, says("E0605", "in use by process " + std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(!is_locked(file));
  BOOST_TEST(text_of(file) == std::to_string(child) + "\n");
  const Lock lock(file);
  BOOST_TEST(text_of(file) == std::to_string(::getpid()) + "\n");
}

BOOST_AUTO_TEST_CASE(races_of_two_processes_have_one_winner_whom_the_loser_names) {
  constexpr int kRaces = 200;
  int fair = 0;
  for (int race = 0; race < kRaces; ++race) {
    // A stale number of a dead process is in the file, as after kill -9.
    put(file, "999999999\n");
    const Pipe start, done, end;
    std::array<pid_t, 2> children{};
    for (pid_t& child : children) {
      child = ::fork();
      if (child != 0) continue;
      char go = 0;
      pid_t named = 0;
      if (::read(start.ends[0], &go, 1) != 1) ::_exit(9);
      try {
        const Lock lock(file);
        go = 'w';
        if (::write(done.ends[1], &go, 1) != 1 || ::read(end.ends[0], &go, 1) != 1) ::_exit(9);
        ::_exit(0);
      } catch (const Error& error) {
        const std::string text = error.what();
        named = std::atoi(text.substr(text.rfind(' ') + 1).c_str());
      }
      go = 'l';
      const std::array<char, 1> message{go};
      if (::write(done.ends[1], message.data(), 1) != 1) ::_exit(9);
      // The loser's status tells whether it named the other child: the winner is the parent's other child.
      ::_exit(named > 1 && named != 999'999'999 && named != ::getpid() ? 1 : 8);
    }
    start.send('g');
    start.send('g');
    const char first = done.receive(), second = done.receive();
    end.send('e');
    std::array<int, 2> codes{};
    for (size_t i = 0; i < 2; ++i) {
      int status = 0;
      ::waitpid(children[i], &status, 0);
      codes[i] = WEXITSTATUS(status);
    }
    fair += first != second && codes[0] + codes[1] == 1;
  }
  BOOST_TEST(fair == kRaces);
}

BOOST_AUTO_TEST_CASE(unreadable_numbers_do_not_confuse_the_loser) {
  const Lock lock(file);
  for (const char* text : {"", "12", "x\n", "-5\n", "99999999999999999999999999999\n"}) {
    put(file, text);
    BOOST_CHECK_EXCEPTION(Lock{file}, Error, says("E0605", "is in use by another process"));
  }
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_written_is_named) {
  BOOST_CHECK_EXCEPTION(Lock(temporary.path() / "none" / "lock"), Error,
                        says("E0605", "none` cannot be locked: No such file or directory"));
}

BOOST_AUTO_TEST_SUITE_END()
