#include "spar/rl/action.hpp"

#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(action)

BOOST_AUTO_TEST_CASE(actions_map_to_the_box_of_each_dimension_and_back) {
  const Json golden_case = golden("action.rescale");
  const Json& in = golden_case.at("inputs");
  const auto low = numbers(in.at("low")), high = numbers(in.at("high")), policy = numbers(in.at("a"));
  std::vector<double> box(2), back;
  actions_to_box(policy, low, high, box);
  for (size_t i = 0; i < 2; ++i) back.push_back(from_box(box[i], low[i], high[i]));
  check(box, golden_case.at("expected").at("env"));
  check(back, golden_case.at("expected").at("back"));
  check_not(box, golden_case.at("wrong").at("F42_high_times_a"));
  check_not(box, golden_case.at("wrong").at("F42_first_dim_bounds"));
}

BOOST_AUTO_TEST_CASE(warm_up_actions_cover_the_box) {
  const Json golden_case = golden("action.uniform_warmup");
  const Json& in = golden_case.at("inputs");
  std::vector<double> actions;
  for (const double u : numbers(in.at("u")))
    actions.push_back(uniform_action(number(in.at("low")), number(in.at("high")), u));
  check(actions, golden_case.at("expected").at("a"));
  check_not(actions, golden_case.at("wrong").at("F46_ai_traineree_sac"));
  check_not(actions, golden_case.at("wrong").at("F46_ai_traineree_d3pg"));
}

BOOST_AUTO_TEST_CASE(ends_of_the_box_are_exact_and_never_passed) {
  const std::vector<float> policy = {-1.0f, 1.0f, -7.0f, 7.0f}, low = {-0.1f}, high = {0.7f};
  std::vector<float> box(4);
  actions_to_box(policy, low, high, box);
  BOOST_TEST(box == (std::vector<float>{-0.1f, 0.7f, -0.1f, 0.7f}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(clamp_keeps_what_is_inside_and_does_not_hide_a_nan) {
  BOOST_TEST(clamp_action(0.25) == 0.25);
  BOOST_TEST(clamp_action(-2.0) == -1.0);
  BOOST_TEST(std::isnan(clamp_action(std::nan(""))));
}

BOOST_AUTO_TEST_CASE(box_without_width_maps_back_to_the_middle) { BOOST_TEST(from_box(3.0, 3.0, 3.0) == 0.0); }

BOOST_AUTO_TEST_CASE(unequal_shapes_are_refused) {
  std::vector<double> two(2), three(3), four(4);
  BOOST_CHECK_THROW(actions_to_box(three, two, two, three), std::invalid_argument);
  BOOST_CHECK_THROW(actions_to_box(four, two, three, four), std::invalid_argument);
  BOOST_CHECK_THROW(actions_to_box(four, two, two, two), std::invalid_argument);
  BOOST_CHECK_THROW(actions_to_box(four, View(two.data(), 0), View(two.data(), 0), four), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
