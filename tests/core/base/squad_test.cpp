#include "core/base/squad.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <vector>

#include "core/base/permits.hpp"

using spar::Permits;
using spar::Squad;

BOOST_AUTO_TEST_SUITE(squad)

BOOST_AUTO_TEST_CASE(every_thread_makes_its_call_each_time) {
  for (const int patience : {0, 200}) {
    Squad squad(3, patience);
    std::vector<int> made(3, 0);
    for (int again = 1; again <= 100; ++again) {
      const auto call = [&](size_t i) { ++made[i]; };
      squad.start(call);
      squad.wait();
      for (const int count : made) BOOST_REQUIRE(count == again);
    }
  }
}

BOOST_AUTO_TEST_CASE(calls_may_wait_for_each_other_and_for_the_caller) {
  Squad squad(2, 0);
  std::atomic<int> arrived{0};
  const auto call = [&](size_t) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  };
  squad.start(call);
  ++arrived;
  squad.wait();
  BOOST_TEST(arrived == 3);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(permits)

BOOST_AUTO_TEST_CASE(no_more_threads_work_than_there_are_permits) {
  for (const uint32_t most : {1u, 2u}) {
    Permits permits(most);
    Squad squad(4, 0);
    std::atomic<uint32_t> working{0}, highest{0};
    const auto call = [&](size_t) {
      for (int i = 0; i < 50; ++i) {
        const Permits::Held held(&permits);
        const uint32_t now = ++working;
        for (uint32_t seen = highest; now > seen && !highest.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --working;
      }
    };
    squad.start(call);
    squad.wait();
    BOOST_TEST(highest >= 1u);
    BOOST_TEST(highest <= most);
  }
}

BOOST_AUTO_TEST_CASE(who_lends_a_permit_lets_the_next_one_work) {
  Permits permits(1);
  Squad squad(2, 0);
  std::vector<size_t> order;  // under the one permit
  std::atomic<bool> first_works{false};
  const auto call = [&](size_t i) {
    if (i == 1)
      while (!first_works) std::this_thread::yield();
    const Permits::Held held(&permits);
    if (i == 1) return order.push_back(1);
    order.push_back(0);
    first_works = true;
    while (order.size() == 1) const Permits::Lent lent(&permits);  // for ever if the other one never came
    order.push_back(0);
  };
  squad.start(call);
  squad.wait();
  BOOST_TEST(order == (std::vector<size_t>{0, 1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
