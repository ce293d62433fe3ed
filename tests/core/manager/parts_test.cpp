// Mixtures over policies, and services by reference.
#include <thread>

#include "core/manager/fixture.hpp"

using namespace spar;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(strategy_specification)

BOOST_AUTO_TEST_CASE(mixture_sums_to_one) {
  const auto told = [](std::vector<double> probabilities) {
    return manager_error([&] { StrategySpec{"x", {"a", "b"}, std::move(probabilities)}.check(); });
  };
  BOOST_TEST(told({0.25, 0.75}) == "nothing was thrown");
  BOOST_TEST(told({1.0 / 3, 2.0 / 3}) == "nothing was thrown");
  BOOST_TEST(told({0.5, 0.25}) == "E1204 the mixture of `x` sums to 0.75, expected 1");
  BOOST_TEST(told({1.5, -0.5}) == "E1204 the mixture of `x` has the probability -0.5, expected at least 0");
  BOOST_TEST(told({1}) == "E1204 the mixture of `x` has 1 probabilities for 2 policies");
  BOOST_TEST(manager_error([] { StrategySpec{"x", {}, {}}.check(); }) == "E1204 the mixture of `x` has no policies");
}

BOOST_AUTO_TEST_CASE(policies_are_chosen_as_they_are_likely) {
  const StrategySpec spec{"x", {"a", "b", "c"}, {0.25, 0.75, 0}};
  BOOST_TEST(spec.choose(0) == "a");
  BOOST_TEST(spec.choose(0.24) == "a");
  BOOST_TEST(spec.choose(0.25) == "b");
  BOOST_TEST(spec.choose(0.999'999'999) == "b");
  const StrategySpec other = spec.with({{"c", 1}});
  BOOST_TEST(other.choose(0.5) == "c");
  BOOST_TEST(manager_error([&] { spec.with({{"d", 1}}); }) == "E1202 `x` has no policy `d`");
  BOOST_TEST(manager_error([&] { spec.with({{"c", 0.5}}); }) == "E1204 the mixture of `x` sums to 0.5, expected 1");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(local_services)

BOOST_AUTO_TEST_CASE(references_lead_to_what_was_offered) {
  Services services;
  const auto pool = services.offer_parameters("pool");
  BOOST_TEST(services.offer_parameters("pool") == pool);
  BOOST_TEST(services.parameters("local:pool") == pool);
  BOOST_TEST(manager_error([&] { services.parameters("local:pol"); }) ==
             "E1205 there is no parameter server `local:pol`; there is local:pool");
  BOOST_TEST(manager_error([&] { services.parameters("redis:pool"); }) ==
             "E1205 `redis:pool` has no scheme that is served; expected local:NAME");
  BOOST_TEST(manager_error([&] { services.tables("local:pool"); }) ==
             "E1205 there is no dataset server `local:pool`; there is none");
}

BOOST_AUTO_TEST_SUITE_END()
