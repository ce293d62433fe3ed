// Verdicts, lines of the table, and the operations that updates cannot do without, against numbers worked out by hand.
#include "core/bench/figure.hpp"

#include <boost/test/unit_test.hpp>

#include "core/bench/necessary.hpp"
#include "core/bench/table.hpp"

using namespace spar::bench;

namespace {

Figure figure(double value, double limit, double budget) {
  Figure f;
  f.name = "an update";
  f.value = value;
  f.unit = "us";
  f.limit = limit;
  f.limit_name = "the peak";
  f.budget = budget;
  return f;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(figures)

BOOST_AUTO_TEST_CASE(a_ratio_up_to_the_budget_is_met_a_little_above_is_near_and_beyond_is_missed) {
  BOOST_TEST((figure(15, 10, 1.5).verdict() == Verdict::met));
  BOOST_TEST((figure(17, 10, 1.5).verdict() == Verdict::near));
  BOOST_TEST((figure(17.5, 10, 1.5).verdict() == Verdict::missed));
  BOOST_TEST((figure(15, NAN, 1.5).verdict() == Verdict::none));
  BOOST_TEST((figure(15, 10, NAN).verdict() == Verdict::none));
}

BOOST_AUTO_TEST_CASE(what_is_missed_is_lost_unless_it_is_within_what_is_held) {
  BOOST_TEST(!figure(17, 10, 1.5).lost());
  BOOST_TEST(figure(25, 10, 1.5).lost());
  Figure known = figure(25, 10, 1.5);
  known.held = 2.6;
  BOOST_TEST(!known.lost());
  known.value = 27;
  BOOST_TEST(known.lost());
}

BOOST_AUTO_TEST_CASE(a_line_shows_what_is_known) {
  BOOST_TEST(table_line(figure(15, 10, 1.6)).find("15.0 us          10.0     1.50   1.60    met     the peak\n") !=
             std::string::npos);
  BOOST_TEST(table_line(figure(0.25, NAN, NAN)).ends_with(" 0.250 us\n"));
}

BOOST_AUTO_TEST_CASE(necessary_operations_are_those_of_the_products) {
  const Mlp q{{4, 64, 64, 2}};
  BOOST_TEST(q.weights() == 4 * 64 + 64 * 64 + 64 * 2);
  BOOST_TEST(q.forward(64) == 2 * 64 * 4480);
  BOOST_TEST(q.backward(64) == 2 * 64 * (4480 + 4480 - 256));
  BOOST_TEST(dqn_flops(q, 64) == 2 * 64 * (4 * 4480 + 4480 - 256));
  // 64 us at 218 GFLOP/s
  BOOST_TEST(sac_flops({{3, 64, 64, 2}}, {{4, 64, 64, 1}}, 100, 1) / 218e3 == 64.0, boost::test_tools::tolerance(0.01));
  const Mlp one{{1, 1, 1}};
  BOOST_TEST(one.backward_to(1, 1) == 2 * 2);
  BOOST_TEST(ddpg_flops(one, one, 1, 1) == 3 * 4 + 6 + 2 * 4 + 4 + 6);
  BOOST_TEST(ppo_flops(one, one, 10, 2) == 40 + 44 + 2 * 2 * (40 + 60));
}

BOOST_AUTO_TEST_SUITE_END()
