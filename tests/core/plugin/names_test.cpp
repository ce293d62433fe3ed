#include "core/plugin/names.hpp"

#include <boost/test/unit_test.hpp>

using namespace spar::plugin;

namespace {
const std::vector<std::string> kIds{"org.spar.dqn",
                                    "org.spar.dqn_c51",
                                    "org.spar.sac",
                                    "com.example.sac",
                                    "org.spar.classic/CartPole-v1",
                                    "org.spar.classic/Pendulum-v1.5"};
using Names = std::vector<std::string>;
}  // namespace

BOOST_AUTO_TEST_SUITE(names)

BOOST_AUTO_TEST_CASE(id_has_short_forms) {
  BOOST_TEST(names_of("org.spar.dqn") == (Names{"org.spar.dqn", "dqn"}), boost::test_tools::per_element());
  BOOST_TEST(names_of("org.spar.classic/Pendulum-v1.5") ==
                 (Names{"org.spar.classic/Pendulum-v1.5", "classic/Pendulum-v1.5", "Pendulum-v1.5"}),
             boost::test_tools::per_element());
  BOOST_TEST(names_of("plain") == Names{"plain"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(full_id_short_id_and_prefix_are_tried_in_this_order) {
  BOOST_TEST(resolve("org.spar.dqn", kIds) == Names{"org.spar.dqn"}, boost::test_tools::per_element());
  BOOST_TEST(resolve("dqn", kIds) == Names{"org.spar.dqn"}, boost::test_tools::per_element());
  BOOST_TEST(resolve("dqn_", kIds) == Names{"org.spar.dqn_c51"}, boost::test_tools::per_element());
  BOOST_TEST(resolve("CartPole-v1", kIds) == Names{"org.spar.classic/CartPole-v1"}, boost::test_tools::per_element());
  BOOST_TEST(resolve("classic/CartPole-v1", kIds) == Names{"org.spar.classic/CartPole-v1"},
             boost::test_tools::per_element());
  BOOST_TEST(resolve("Cart", kIds) == Names{"org.spar.classic/CartPole-v1"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(several_meanings_are_all_given_and_none_is_none) {
  BOOST_TEST(resolve("sac", kIds) == (Names{"org.spar.sac", "com.example.sac"}), boost::test_tools::per_element());
  BOOST_TEST(resolve("d", kIds) == (Names{"org.spar.dqn", "org.spar.dqn_c51"}), boost::test_tools::per_element());
  BOOST_TEST(resolve("ppo", kIds).empty());
  BOOST_TEST(resolve("", kIds).empty());
}

BOOST_AUTO_TEST_SUITE_END()
