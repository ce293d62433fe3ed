// PSRO with learned responses, as a user starts it.
#include <boost/test/unit_test.hpp>
#include <string>

#include "gate.hpp"
#include "host/spar/support.hpp"

namespace {

/// NashConv of the last of `iterations`.
double nash_conv(const std::string& preset, int seed, int iterations) {
  const spar::test::Workplace workplace;
  const auto result = workplace.spar({"train", preset, "--seed", std::to_string(seed), "--json",
                                      "stop.any=[{iterations=" + std::to_string(iterations) + "}]"});
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.err);
  return spar::test::json_lines(result.out).back().at("nash_conv").to_number<double>();
}

/// One seed, or three of which two must pass.
void psro_gate(const std::string& preset, int iterations, double most) {
  const bool all = spar::test::all_seeds();
  int passed = 0;
  for (int seed = 1; seed <= (all ? 3 : 1); ++seed) {
    const double found = nash_conv(preset, seed, iterations);
    BOOST_TEST_MESSAGE(preset << ", seed " << seed << ": NashConv " << found);
    passed += found < most;
  }
  BOOST_TEST(passed >= (all ? 2 : 1), preset << ": " << passed << " seeds came below " << most);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(psro_learned)

BOOST_AUTO_TEST_CASE(dqn_responses_approach_the_equilibrium_of_kuhn_poker) { psro_gate("kuhn-psro-dqn", 10, 0.45); }

BOOST_AUTO_TEST_CASE(ppo_responses_approach_the_equilibrium_of_kuhn_poker) { psro_gate("kuhn-psro-ppo", 10, 0.45); }

BOOST_AUTO_TEST_SUITE_END()
