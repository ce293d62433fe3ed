#include "core/replay/rollout.hpp"

#include "core/replay/fixture.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

namespace {

Buffer& filled(Buffer& buffer) {
  append(buffer, {{.obs = 0, .next = 1, .reward = 1, .lane = 0}, {.obs = 10, .next = 11, .reward = 2, .lane = 1}});
  append(buffer, {{.obs = 1, .next = 2, .reward = 3, .terminated = true, .lane = 0},
                  {.obs = 11, .next = 12, .reward = 4, .truncated = true, .lane = 1}});
  append(buffer, {{.obs = 5, .next = 6, .reward = 5, .lane = 0}});
  return buffer;
}

template <class T>
void expect(const Sample& sample, const char* name, const std::vector<T>& expected) {
  const auto found = sample.column<T>(name);
  BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout)

BOOST_AUTO_TEST_CASE(rows_come_ordered_by_lane_then_time_with_segments_marked) {
  Buffer buffer(small_spec(SPAR_BUF_ROLLOUT, 8, 3), Philox(1, "rollout"));
  const Sample sample(filled(buffer), 0);
  BOOST_TEST(sample.rows() == 5u);
  expect<float>(sample, "reward", {1, 3, 5, 2, 4});
  expect<float>(sample, "obs", {0, 0, 1, -1, 5, -5, 10, -10, 11, -11});
  expect<float>(sample, "next_obs", {1, -1, 2, -2, 6, -6, 11, -11, 12, -12});
  expect<uint8_t>(sample, "terminated", {0, 1, 0, 0, 0});
  expect<uint8_t>(sample, "truncated", {0, 0, 0, 0, 1});
  expect<uint8_t>(sample, "last", {0, 1, 1, 0, 1});
  BOOST_TEST((sample.batch().index == nullptr));
  BOOST_TEST((sample.batch().weight == nullptr));
}

BOOST_AUTO_TEST_CASE(sampling_twice_gives_the_same_rows) {
  Buffer buffer(small_spec(SPAR_BUF_ROLLOUT, 8, 3), Philox(1, "rollout"));
  const Sample first(filled(buffer), 0), second(buffer, 5);
  BOOST_TEST(first.column<float>("reward") == second.column<float>("reward"), boost::test_tools::per_element());
  BOOST_TEST((first.column<uint8_t>("last") == second.column<uint8_t>("last")));
}

BOOST_AUTO_TEST_CASE(segment_that_goes_on_is_not_marked_in_the_next_sample) {
  Buffer buffer(small_spec(SPAR_BUF_ROLLOUT, 8), Philox(1, "rollout"));
  append_counting(buffer, 0, 2);
  expect<uint8_t>(Sample(buffer, 0), "last", {0, 1});
  append_counting(buffer, 2, 3);
  expect<uint8_t>(Sample(buffer, 0), "last", {0, 0, 1});
}

BOOST_AUTO_TEST_CASE(learning_starts_the_rollout_anew) {
  Buffer buffer(small_spec(SPAR_BUF_ROLLOUT, 8, 3), Philox(1, "rollout"));
  filled(buffer);
  buffer.after_learn();
  BOOST_TEST(buffer.size() == 0u);
  append(buffer, {{.obs = 7, .next = 8, .reward = 9, .lane = 2}});
  expect<float>(Sample(buffer, 0), "reward", {9});
  BOOST_TEST(buffer.inserted() == 6u);
}

BOOST_AUTO_TEST_CASE(learning_keeps_a_replay_table) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 8), Philox(1, "replay"));
  append_counting(buffer, 0, 3);
  buffer.after_learn();
  BOOST_TEST(buffer.size() == 3u);
}

BOOST_AUTO_TEST_CASE(rollout_grows_beyond_its_capacity) {
  Buffer buffer(small_spec(SPAR_BUF_ROLLOUT, 2), Philox(1, "rollout"));
  append_counting(buffer, 0, 9);
  expect<float>(Sample(buffer, 0), "reward", {0, 1, 2, 3, 4, 5, 6, 7, 8});
}

BOOST_AUTO_TEST_CASE(termination_wins_over_truncation) {
  Buffer buffer(small_spec(SPAR_BUF_ROLLOUT, 2), Philox(1, "rollout"));
  append(buffer, {{.terminated = true, .truncated = true}});
  const Sample sample(buffer, 0);
  expect<uint8_t>(sample, "terminated", {1});
  expect<uint8_t>(sample, "truncated", {0});
}

BOOST_AUTO_TEST_CASE(cut_truncates_the_newest_row_of_each_lane) {
  Buffer buffer(small_spec(SPAR_BUF_ROLLOUT, 8, 3), Philox(1, "rollout"));
  filled(buffer).cut();
  append(buffer, {{.reward = 6, .lane = 0}, {.reward = 7, .terminated = true, .lane = 2}});
  buffer.cut();
  const Sample sample(buffer, 0);
  expect<float>(sample, "reward", {1, 3, 5, 6, 2, 4, 7});
  expect<uint8_t>(sample, "truncated", {0, 0, 1, 1, 0, 1, 0});
  expect<uint8_t>(sample, "last", {0, 1, 1, 1, 0, 1, 1});
}

BOOST_AUTO_TEST_CASE(part_of_a_rollout_is_refused) {
  Buffer buffer(small_spec(SPAR_BUF_ROLLOUT, 8, 3), Philox(1, "rollout"));
  filled(buffer);
  BOOST_CHECK_EXCEPTION(Sample(buffer, 3), Error, error_with("E0803", "all of its 5 rows, but 3"));
  const uint64_t index = 0;
  const float p = 1;
  BOOST_CHECK_EXCEPTION(buffer.set_priority(&index, &p, 1), Error, error_with("E0804", "a rollout has none"));
}

BOOST_AUTO_TEST_SUITE_END()
