#include "core/base/crew.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>

using spar::Crew;

BOOST_AUTO_TEST_SUITE(crew)

BOOST_AUTO_TEST_CASE(every_call_is_made_exactly_once) {
  for (const uint32_t threads : {1u, 2u, 5u}) {
    Crew crew(threads);
    BOOST_TEST(crew.threads() == threads);
    for (const size_t n : {size_t{0}, size_t{1}, size_t{3}, size_t{100}}) {
      for (int again = 0; again < 50; ++again) {
        std::vector<std::atomic<int>> made(n);
        crew.run(n, [&](size_t i) { ++made[i]; });
        for (const auto& count : made) BOOST_REQUIRE(count == 1);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(calls_run_at_the_same_time) {
  Crew crew(2);
  std::atomic<int> arrived{0};
  crew.run(2, [&](size_t) {  // each waits for the other: one thread alone would never return
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  BOOST_TEST(arrived == 2);
}

BOOST_AUTO_TEST_CASE(first_failure_is_told_and_the_crew_goes_on) {
  for (const uint32_t threads : {1u, 3u}) {
    Crew crew(threads);
    for (int again = 0; again < 20; ++again) {
      std::atomic<int> made{0};
      std::string told;
      try {
        crew.run(8, [&](size_t i) {
          ++made;
          if (i == 2 || i == 6) throw std::runtime_error(std::to_string(i));
        });
      } catch (const std::runtime_error& error) {
        told = error.what();
      }
      BOOST_TEST(told == "2");
      BOOST_TEST(made == 8);
    }
    int after = 0;
    crew.run(1, [&](size_t) { ++after; });
    BOOST_TEST(after == 1);
  }
}

BOOST_AUTO_TEST_CASE(inside_a_call_there_is_one_thread) {
  Crew crew(3), other(2);
  BOOST_TEST(crew.free_threads() == 3u);
  std::atomic<int> made{0};
  crew.run(3, [&](size_t) {
    BOOST_TEST((crew.free_threads() == 1u && other.free_threads() == 1u));
    std::vector<size_t> order;
    crew.run(4, [&](size_t i) { order.push_back(i); });
    other.run(4, [&](size_t i) { order.push_back(i); });
    BOOST_TEST((order == std::vector<size_t>{0, 1, 2, 3, 0, 1, 2, 3}));
    made += static_cast<int>(order.size());
  });
  BOOST_TEST(made == 24);
  std::string told;
  try {
    crew.run(2, [&](size_t) { crew.run(5, [&](size_t i) { throw std::runtime_error(std::to_string(i)); }); });
  } catch (const std::runtime_error& error) {
    told = error.what();
  }
  BOOST_TEST(told == "0");
  BOOST_TEST(crew.free_threads() == 3u);
}

// Threads that have gone to sleep, and a caller that sleeps until the last call has ended.
BOOST_AUTO_TEST_CASE(pauses_between_and_inside_calls_lose_no_call) {
  Crew crew(4);
  const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  for (int again = 0; again < 20; ++again) {
    std::atomic<int> made{0};
    crew.run(9, [&](size_t i) {
      if (i % 4 == 0) rest();
      ++made;
    });
    BOOST_REQUIRE(made == 9);
    if (again % 2 == 0) rest();
  }
}

BOOST_AUTO_TEST_SUITE_END()
