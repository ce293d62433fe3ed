#include "core/replay/limiter.hpp"

#include <cmath>

#include "core/replay/fixture.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(limiter)

BOOST_AUTO_TEST_CASE(nothing_is_sampled_below_the_smallest_size) {
  Limiter limiter({.min_size = 3});
  limiter.insert(2);
  BOOST_TEST(!limiter.can_sample(1));
  limiter.insert(1);
  BOOST_TEST(limiter.can_sample(1000));
  BOOST_TEST(limiter.can_insert(1000));
}

BOOST_AUTO_TEST_CASE(reader_that_is_ahead_waits_for_the_writer) {
  Limiter limiter({.min_size = 10, .samples_per_insert = 2, .rows_per_insert = 1, .rows_per_sample = 4});
  limiter.insert(10);
  BOOST_TEST(limiter.can_sample(4));
  limiter.sample(4);
  BOOST_TEST(!limiter.can_sample(4));
  limiter.insert(2);
  BOOST_TEST(limiter.can_sample(4));
}

BOOST_AUTO_TEST_CASE(writer_that_is_ahead_waits_for_the_reader) {
  Limiter limiter({.min_size = 10, .samples_per_insert = 2, .rows_per_insert = 1, .rows_per_sample = 4});
  limiter.insert(10);
  limiter.insert(2);
  BOOST_TEST(!limiter.can_insert(1));
  limiter.sample(4);
  BOOST_TEST(limiter.can_insert(1));
}

BOOST_AUTO_TEST_CASE(one_side_can_always_go_on_and_the_ratio_holds) {
  Philox random(1, "limiter");
  for (const double ratio : {0.1, 1.0, 7.5, 64.0})
    for (const uint64_t rows_in : {1u, 8u})
      for (const uint64_t rows_out : {1u, 256u}) {
        Limiter limiter({20, ratio, rows_in, rows_out});
        for (int i = 0; i < 3000; ++i) {
          const bool in = limiter.can_insert(rows_in), out = limiter.can_sample(rows_out);
          BOOST_REQUIRE((in || out));
          if (in && (!out || random.uniform() < 0.5))
            limiter.insert(rows_in);
          else
            limiter.sample(rows_out);
        }
        const auto [inserted, sampled] = limiter.counters();
        const double slack = std::max(ratio * static_cast<double>(rows_in), static_cast<double>(rows_out));
        BOOST_TEST(std::abs((static_cast<double>(inserted) - 20) * ratio - static_cast<double>(sampled)) <=
                   slack + ratio * static_cast<double>(rows_in));
      }
}

BOOST_AUTO_TEST_CASE(restored_counters_decide_alike) {
  const Limiter::Options options{.min_size = 1, .samples_per_insert = 1};
  Limiter original(options), copy(options);
  original.insert(3);
  original.sample(3);
  copy.restore(original.counters());
  BOOST_TEST(copy.can_sample(1) == original.can_sample(1));
  BOOST_TEST(copy.can_insert(2) == original.can_insert(2));
}

BOOST_AUTO_TEST_CASE(impossible_ratio_is_refused) {
  BOOST_CHECK_EXCEPTION(Limiter({.samples_per_insert = -1}), Error, error_with("E0807", "-1"));
  BOOST_CHECK_EXCEPTION(Limiter({.samples_per_insert = std::nan("")}), Error, error_with("E0807", "nan"));
}

BOOST_AUTO_TEST_CASE(slack_may_be_wider_than_one_insert_and_one_sample) {
  Limiter limiter({.min_size = 0, .samples_per_insert = 2, .rows_per_insert = 1, .rows_per_sample = 4, .slack = 20});
  int ahead = 0;
  for (; limiter.can_insert(1); ++ahead) limiter.insert(1);
  BOOST_TEST(ahead == 10);
  int samples = 0;
  for (; limiter.can_sample(4); ++samples) limiter.sample(4);
  BOOST_TEST(samples == 10);  // from 20 ahead to 20 behind
}

BOOST_AUTO_TEST_SUITE_END()
