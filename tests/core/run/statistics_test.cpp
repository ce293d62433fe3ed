#include "core/run/statistics.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "core/rng/philox.hpp"

using namespace spar;
using namespace spar::run;

BOOST_AUTO_TEST_SUITE(statistics)

BOOST_AUTO_TEST_CASE(mean_and_deviation_of_known_arrays) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  BOOST_TEST(mean(values) == 5);
  BOOST_TEST(standard_deviation(values) == std::sqrt(32.0 / 7), boost::test_tools::tolerance(1e-15));
  BOOST_TEST(standard_deviation(std::array{3.0}) == 0);
}

BOOST_AUTO_TEST_CASE(iqm_leaves_out_a_quarter_at_each_end) {
  BOOST_TEST(iqm(std::vector<double>{100, 1, 2, 3}) == 2.5);
  BOOST_TEST(iqm(std::vector<double>{8, 7, 6, 5, 4, 3, 2, -1000}) == 4.5);
  BOOST_TEST(iqm(std::vector<double>{5, -50, 50}) == 5 / 3.0, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(iqm(std::vector<double>{1, 2, 3, 4, 90}) == 3);
  BOOST_TEST(iqm(std::vector<double>{42}) == 42);
}

BOOST_AUTO_TEST_CASE(no_values_and_values_that_are_no_numbers_give_nan) {
  const EvalStatistics nothing = evaluate({}, 1);
  BOOST_TEST(nothing.episodes == 0u);
  for (const double value :
       {nothing.mean, nothing.iqm, nothing.ci_low, nothing.ci_high, nothing.min, nothing.max, nothing.std})
    BOOST_TEST(std::isnan(value));
  const std::vector<double> values = {1, std::nan(""), 3};
  BOOST_TEST(std::isnan(iqm(values)));
  BOOST_TEST(std::isnan(bootstrap_iqm(values, 1).low));
}

BOOST_AUTO_TEST_CASE(evaluate_collects_everything) {
  const std::vector<double> returns = {10, 20, 30, 40};
  const EvalStatistics result = evaluate(returns, 7);
  BOOST_TEST(result.mean == 25);
  BOOST_TEST(result.iqm == 25);
  BOOST_TEST(result.min == 10);
  BOOST_TEST(result.max == 40);
  BOOST_TEST(result.episodes == 4u);
  BOOST_TEST(result.ci_low < 25);
  BOOST_TEST(result.ci_high > 25);
  BOOST_TEST(result.ci_low >= 10);
  BOOST_TEST(result.ci_high <= 40);
}

BOOST_AUTO_TEST_CASE(interval_of_a_mean_is_not_cut_at_the_quarters) {
  // One win of 8 games: the interquartile mean knows nothing of it, the mean does.
  const std::vector<double> values = {1, 0, 0, 0, 0, 0, 0, 0};
  const Interval mean = bootstrap_mean(values, 3);
  BOOST_TEST(mean.low == 0);
  // 97.5 % of the sums of 8 draws of probability 1/8 are at most 3.
  BOOST_TEST(mean.high == 3.0 / 8);
  BOOST_TEST(bootstrap_iqm(values, 3).high < mean.high);
  const Interval again = bootstrap_mean(values, 3);
  BOOST_TEST((mean.low == again.low && mean.high == again.high));
  BOOST_TEST(std::isnan(bootstrap_mean({}, 1).low));
}

BOOST_AUTO_TEST_CASE(interval_of_equal_values_has_no_width) {
  const Interval interval = bootstrap_iqm(std::vector<double>(20, 500), 3);
  BOOST_TEST(interval.low == 500);
  BOOST_TEST(interval.high == 500);
}

BOOST_AUTO_TEST_CASE(interval_depends_on_the_seed_and_on_nothing_else) {
  Philox random(9, "values");
  std::array<double, 20> values;
  for (double& value : values) value = random.normal();
  const Interval a = bootstrap_iqm(values, 1), b = bootstrap_iqm(values, 1), c = bootstrap_iqm(values, 2);
  BOOST_TEST((a.low == b.low && a.high == b.high));
  BOOST_TEST((a.low != c.low || a.high != c.high));
}

BOOST_AUTO_TEST_CASE(interval_of_two_values_is_that_of_the_binomial) {
  // Means of two draws from {0, 1}: 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4. The middle 40 % are all 1/2, the middle
  // 90 % reach both ends.
  const std::vector<double> values = {0, 1};
  const Interval narrow = bootstrap_iqm(values, 1, 2000, 0.4), wide = bootstrap_iqm(values, 1, 2000, 0.9);
  BOOST_TEST((narrow.low == 0.5 && narrow.high == 0.5));
  BOOST_TEST((wide.low == 0 && wide.high == 1));
}

BOOST_AUTO_TEST_CASE(intervals_cover_the_true_centre_about_as_often_as_they_say) {
  Philox random(5, "coverage");
  int covered = 0;
  for (uint64_t experiment = 0; experiment < 300; ++experiment) {
    std::array<double, 20> returns;
    for (double& value : returns) value = random.normal();
    const Interval interval = bootstrap_iqm(returns, experiment, 500);
    covered += interval.low <= 0 && 0 <= interval.high;
  }
  // The percentile bootstrap of 20 values is known to be somewhat too narrow: 95 % nominal.
  BOOST_TEST(covered >= 264);
  BOOST_TEST(covered <= 299);
}

BOOST_AUTO_TEST_SUITE_END()
