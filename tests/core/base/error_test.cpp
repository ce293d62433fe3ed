#include "core/base/error.hpp"

#include <boost/test/unit_test.hpp>

using namespace spar;

BOOST_AUTO_TEST_SUITE(error)

BOOST_AUTO_TEST_CASE(render_shows_place_caret_and_help) {
  const Error error = Error("E0203", Exit::usage, "unknown key `actor_learnig_rate` for algorithm `sac`")
                          .at({"a.toml", 11, 1, 18, "actor_learnig_rate = 3e-4", "did you mean `actor_lr`?"})
                          .help("see: spar explain sac");
  BOOST_TEST(error.render() ==
             "error[E0203]: unknown key `actor_learnig_rate` for algorithm `sac`\n"
             " --> a.toml:11:1\n"
             "11 | actor_learnig_rate = 3e-4\n"
             "   | ^^^^^^^^^^^^^^^^^^ did you mean `actor_lr`?\n"
             "   = see: spar explain sac\n");
}

BOOST_AUTO_TEST_CASE(render_paints_only_when_asked) {
  const Error error("E0001", Exit::failed, "x");
  BOOST_TEST(error.render(false).find('\x1b') == std::string::npos);
  BOOST_TEST(error.render(true).find('\x1b') != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
