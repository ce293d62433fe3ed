#include "core/train/pace.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

using namespace spar;
using train::Pace;

namespace {

constexpr std::chrono::milliseconds kMoment{2};

/// Two workers, two samples for each transition, at most four apart.
Pace::Options options() {
  Pace::Options out;
  out.workers = 2;
  out.limiter = {.min_size = 0, .samples_per_insert = 2, .rows_per_insert = 1, .rows_per_sample = 2, .slack = 4};
  return out;
}

bool may_collect(Pace& pace) { return pace.may_collect(Pace::Clock::now() + kMoment); }

/// Steps that the actors may take, at most `most`.
uint64_t collect(Pace& pace, uint64_t& env_steps, uint64_t most, bool enough = true) {
  uint64_t taken = 0;
  for (; taken < most && may_collect(pace); ++taken) pace.collected(1, ++env_steps, enough);
  return taken;
}

/// Does `call` go on only after `release` was called?
template <class Call>
bool waits_for(Call&& call, const std::function<void()>& release) {
  std::atomic<bool> gone_on{false};
  std::thread other([&] {
    call();
    gone_on = true;
  });
  std::this_thread::sleep_for(kMoment);
  const bool waited = !gone_on;
  release();
  other.join();
  return waited;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pace)

BOOST_AUTO_TEST_CASE(actors_wait_where_learners_are_behind) {
  Pace pace(options());
  pace.begin(0);
  uint64_t env_steps = 0;
  BOOST_TEST(collect(pace, env_steps, 50, false) == 50u);  // not enough to learn from: nobody is behind
  BOOST_TEST(collect(pace, env_steps, 50) == 3u);          // from the first on that is enough: two, four samples ahead
  BOOST_TEST(pace.counted() == 2u);
  BOOST_TEST(pace.may_learn(0));
  pace.learnt(0);
  BOOST_TEST(collect(pace, env_steps, 50) == 1u);
  BOOST_TEST(pace.env_steps() == 54u);
  BOOST_TEST(pace.updates() == 1u);
}

BOOST_AUTO_TEST_CASE(learners_wait_where_actors_are_behind) {
  Pace pace(options());
  pace.begin(0);
  BOOST_TEST(waits_for([&] { pace.may_learn(0); }, [&] { pace.collected(1, 1, true); }));
  BOOST_TEST(pace.may_learn(1));  // four samples ahead
  BOOST_TEST(waits_for([&] { pace.may_learn(0); }, [&] { pace.collected(1, 2, true); }));
}

BOOST_AUTO_TEST_CASE(worker_waits_for_the_slowest_once_it_is_as_far_ahead_as_it_may) {
  Pace::Options bounded = options();
  bounded.most_ahead = 1;
  bounded.limiter.slack = 1e6;
  Pace pace(bounded);
  pace.begin(0);
  pace.collected(1, 1, true);
  const auto update = [&](size_t worker) {
    const bool may = pace.may_learn(worker);
    pace.learnt(worker);
    return may;
  };
  BOOST_TEST(update(0));
  BOOST_TEST(update(0));
  BOOST_TEST(pace.learn_steps(0) == 2u);
  BOOST_TEST(pace.slowest() == 0u);
  BOOST_TEST(waits_for([&] { update(0); }, [&] { update(1); }));
}

BOOST_AUTO_TEST_CASE(actors_go_on_where_every_worker_waits_for_data) {
  Pace pace(options());
  pace.begin(0);
  uint64_t env_steps = 0;
  collect(pace, env_steps, 3);
  BOOST_TEST(!may_collect(pace));
  bool there = false;
  std::thread first([&] { there = pace.wait_for_data(5); }), second([&] { pace.wait_for_data(9); });
  while (env_steps < 5) collect(pace, env_steps, 1);
  first.join();
  BOOST_TEST(there);
  BOOST_TEST(!may_collect(pace));  // only one of them waits now
  pace.end();
  second.join();
}

BOOST_AUTO_TEST_CASE(end_of_a_stretch_wakes_all) {
  Pace empty(options()), full(options());
  for (Pace* pace : {&empty, &full}) pace->begin(0);
  uint64_t env_steps = 0;
  collect(full, env_steps, 50);
  std::vector<int> told(3, -1);
  std::thread learner([&] { told[0] = empty.may_learn(0); }), waiter([&] { told[1] = empty.wait_for_data(100); });
  std::thread actor([&] { told[2] = full.may_collect(Pace::Clock::now() + std::chrono::hours(1)); });
  std::this_thread::sleep_for(kMoment);
  for (Pace* pace : {&empty, &full}) pace->end();
  for (std::thread* thread : {&learner, &waiter, &actor}) thread->join();
  BOOST_TEST(told == std::vector<int>(3, 0), boost::test_tools::per_element());
  BOOST_TEST(empty.ended());
  empty.begin(7);
  BOOST_TEST(!empty.ended());
  BOOST_TEST(empty.env_steps() == 7u);
}

BOOST_AUTO_TEST_CASE(counts_are_part_of_the_state) {
  Pace pace(options()), copy(options());
  pace.begin(0);
  uint64_t env_steps = 0;
  collect(pace, env_steps, 3);
  pace.may_learn(1);
  pace.learnt(1);
  ByteWriter writer;
  pace.save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "pace");
  copy.load(reader);
  copy.begin(env_steps);
  BOOST_TEST(copy.counted() == 2u);
  BOOST_TEST(copy.learn_steps(1) == 1u);
  BOOST_TEST(collect(copy, env_steps, 50) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
