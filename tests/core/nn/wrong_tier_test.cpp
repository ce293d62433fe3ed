// Runs alone, with SPAR_CPU=sse9.
#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "net_support.hpp"

using namespace spar::nn::test;

BOOST_AUTO_TEST_SUITE(wrong_tier, *boost::unit_test::disabled())

BOOST_AUTO_TEST_CASE(create_reports_an_unknown_name_in_SPAR_CPU) {
  const char* wish = std::getenv("SPAR_CPU");
  BOOST_REQUIRE(wish != nullptr);
  BOOST_REQUIRE(std::string(wish) == "sse9");
  Instance instance;
  spar_net* net = nullptr;
  BOOST_TEST(instance.try_create("q", {{4}, 2}, &net) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(instance.message().find("SPAR_CPU is `sse9`, expected baseline, avx2 or avx512") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
