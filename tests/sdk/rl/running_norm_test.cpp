#include "spar/rl/running_norm.hpp"

#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(running_norm)

BOOST_AUTO_TEST_CASE(batches_join_into_the_moments_of_all_items) {
  const Json golden_case = golden("running_norm");
  const Json& expected = golden_case.at("expected");
  RunningNorm norm(1);
  norm.update(std::vector<double>{1, 2, 3});
  norm.update(std::vector<double>{10, 20});
  check(norm.mean(), expected.at("mean"));
  check(norm.variance(), expected.at("var"));
  check(norm.count(), expected.at("count"));
  check(norm.normalise(10, 0), expected.at("normalised_10"));
}

BOOST_AUTO_TEST_CASE(dimensions_are_kept_apart) {
  RunningNorm both(2), first(1), second(1);
  both.update(std::vector<float>{1, 10, 2, 30, 5, -4});
  first.update(std::vector<float>{1, 2, 5});
  second.update(std::vector<float>{10, 30, -4});
  BOOST_TEST(both.mean()[0] == first.mean()[0]);
  BOOST_TEST(both.mean()[1] == second.mean()[0]);
  BOOST_TEST(both.variance()[0] == first.variance()[0]);
  BOOST_TEST(both.variance()[1] == second.variance()[0]);
}

BOOST_AUTO_TEST_CASE(restored_norm_goes_on_like_the_original) {
  RunningNorm original(1), copy(1);
  original.update(std::vector<double>{3, 4});
  copy.restore(original.mean(), original.variance(), original.count());
  original.update(std::vector<double>{7});
  copy.update(std::vector<double>{7});
  BOOST_TEST(original.mean()[0] == copy.mean()[0]);
  BOOST_TEST(original.variance()[0] == copy.variance()[0]);
}

BOOST_AUTO_TEST_CASE(empty_batch_changes_nothing) {
  RunningNorm norm(3);
  norm.update(std::vector<double>{});
  BOOST_TEST(norm.count() == 1e-4);
}

BOOST_AUTO_TEST_CASE(uneven_rows_are_refused) {
  RunningNorm norm(2);
  BOOST_CHECK_THROW(norm.update(std::vector<double>(3)), std::invalid_argument);
  BOOST_CHECK_THROW(norm.restore({1}, {1, 1}, 1), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
