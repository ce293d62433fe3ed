#include "spar/rl/schedule.hpp"

#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(schedule)

BOOST_AUTO_TEST_CASE(line_runs_from_start_to_end_and_stays_there) {
  const Json golden_case = golden("schedule.linear");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  const LinearSchedule epsilon{number(in.at("eps_start")), number(in.at("eps_end")), number(in.at("eps_steps"))};
  const LinearSchedule beta{number(in.at("beta0")), 1.0, number(in.at("beta_steps"))};
  for (const auto& [step, value] : expected.at("eps").as_object()) check(epsilon.at(std::stod(step)), value);
  for (const auto& [step, value] : expected.at("beta").as_object()) check(beta.at(std::stod(step)), value);
  check(greedy_probability(0.1, 4), expected.at("p_greedy_eps0p1_4actions"));
}

BOOST_AUTO_TEST_CASE(no_steps_mean_the_end_at_once) { BOOST_TEST((LinearSchedule{1, 0.25, 0}.at(0)) == 0.25); }

BOOST_AUTO_TEST_CASE(step_before_the_first_gives_the_start) { BOOST_TEST((LinearSchedule{1, 0, 10}.at(-5)) == 1.0); }

BOOST_AUTO_TEST_SUITE_END()
