#include "core/base/profile.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

using namespace spar;

namespace {

constexpr uint64_t kMillisecond = 1'000'000;

double seconds_of(const Profile& profile, Phase phase) { return profile.shares()[static_cast<size_t>(phase)].seconds; }

}  // namespace

BOOST_AUTO_TEST_SUITE(profile)

BOOST_AUTO_TEST_CASE(weights_stand_for_what_was_not_timed) {
  Profile profile;
  const uint64_t begin = Profile::now();
  profile.add(Phase::act, begin, begin + kMillisecond, 16);
  profile.add(Phase::act, begin, begin + kMillisecond, 16);
  BOOST_TEST(seconds_of(profile, Phase::act) == 0.032, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(sampling_is_taken_out_of_the_update_that_holds_it) {
  Profile profile;
  const uint64_t begin = Profile::now();
  profile.add(Phase::sample, begin, begin + 3 * kMillisecond, 1);
  profile.add(Phase::update, begin, begin + 10 * kMillisecond, 1);
  BOOST_TEST(seconds_of(profile, Phase::sample) == 0.003, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(seconds_of(profile, Phase::update) == 0.007, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(one_step_in_sixteen_is_timed) {
  Profile profile;
  int timed = 0;
  for (int i = 0; i < 160; ++i) timed += profile.next_step();
  BOOST_TEST(timed == 10);
}

BOOST_AUTO_TEST_CASE(spans_end_with_their_life_and_need_no_profile) {
  Profile profile;
  { const Profile::Span span(&profile, Phase::publish); }
  { const Profile::Span span(nullptr, Phase::evaluate); }
  BOOST_TEST(seconds_of(profile, Phase::publish) > 0);
  BOOST_TEST(seconds_of(profile, Phase::evaluate) == 0);
}

BOOST_AUTO_TEST_CASE(the_trace_is_json_with_one_complete_event_for_each_span) {
  Profile profile;
  const uint64_t begin = Profile::now();
  profile.add(Phase::step, begin, begin + 1500, 16);
  profile.add(Phase::checkpoint, begin + 2000, begin + 2250, 1);
  const auto trace = boost::json::parse(profile.trace());
  const auto& events = trace.at("traceEvents").as_array();
  BOOST_TEST_REQUIRE(events.size() == 2u);
  BOOST_TEST(events[0].at("name").as_string() == "step");
  BOOST_TEST(events[0].at("ph").as_string() == "X");
  BOOST_TEST(events[0].at("dur").to_number<double>() == 1.5);
  BOOST_TEST(events[1].at("name").as_string() == "checkpoint");
  BOOST_TEST(events[1].at("ts").to_number<double>() - events[0].at("ts").to_number<double>() == 2.0,
             boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(the_trace_keeps_the_first_events_and_the_shares_count_all) {
  Profile profile;
  const uint64_t begin = Profile::now();
  for (size_t i = 0; i < Profile::kMostEvents + 10; ++i) profile.add(Phase::update, begin, begin + 1000, 1);
  BOOST_TEST(seconds_of(profile, Phase::update) == 1e-6 * (Profile::kMostEvents + 10),
             boost::test_tools::tolerance(1e-9));
  const auto trace = boost::json::parse(profile.trace());
  BOOST_TEST(trace.at("traceEvents").as_array().size() == Profile::kMostEvents);
}

BOOST_AUTO_TEST_SUITE_END()
