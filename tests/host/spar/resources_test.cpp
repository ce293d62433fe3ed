#include <boost/test/unit_test.hpp>

#include "host/spar/engine.hpp"

namespace {

constexpr uint64_t kMuch = uint64_t{1} << 60;

BOOST_AUTO_TEST_SUITE(resources)

BOOST_AUTO_TEST_CASE(a_run_that_fits_is_not_mentioned) {
  BOOST_TEST(spar::host::check_resources(1000, 1000, "runs") == "");
}

BOOST_AUTO_TEST_CASE(too_little_memory_refuses_the_run) {
  BOOST_CHECK_EXCEPTION(spar::host::check_resources(kMuch, 0, "runs"), spar::Error, [](const spar::Error& error) {
    return error.code() == "E0405" && error.exit() == spar::Exit::failed && !error.help().empty() &&
           std::string(error.what()).starts_with("the run needs 1152922 TB of memory and ");
  });
}

BOOST_AUTO_TEST_CASE(too_little_room_on_the_disk_is_a_warning) {
  const std::string warning = spar::host::check_resources(0, kMuch, "some/place/that/is/not/there");
  BOOST_TEST(warning.starts_with("the checkpoints need up to 1152922 TB and the disk of `some/place/that/is/not/there` "
                                 "has "),
             warning);
}

BOOST_AUTO_TEST_CASE(the_first_word_is_the_experiment_and_the_rest_are_settings) {
  spar::host::Arguments arguments;
  arguments.positional = {"cartpole-dqn", "env.count=2", "algorithm.lr=1e-3"};
  arguments.seed = 7;
  const auto sources = spar::host::sources_of(arguments);
  BOOST_TEST(sources.experiment == "cartpole-dqn");
  BOOST_TEST(sources.assignments == (std::vector<std::string>{"env.count=2", "algorithm.lr=1e-3"}),
             boost::test_tools::per_element());
  BOOST_TEST(*sources.seed == 7u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
